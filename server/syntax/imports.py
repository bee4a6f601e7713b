"""Which dotted names the module-level names of a file stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import ir
from .walk import statements

if TYPE_CHECKING:
    from .chunks import Source

_torch = re.compile(r"\b(?:torch|pytorch|lightning|einops|functorch)\w*").search


@dataclass(frozen=True, slots=True)
class Import:
    """What an imported name refers to: `module`, or the attribute `name` of it.

    `level` counts the leading dots of a relative import, with `module` then empty for `from . import a`.
    `from a import b` may name an attribute or a submodule: both are `a` and `b` here.
    """

    module: str
    name: str | None = None
    level: int = 0

    @property
    def dotted(self) -> str:
        """The whole name, with the dots of a relative import in front: `torch.nn`, `..layers.Block`."""
        name = self.module if self.name is None else f"{self.module}.{self.name}" if self.module else self.name
        return "." * self.level + name


@dataclass(slots=True)
class ImportTable:
    """The imports of a file: by the name that each binds (the last one wins), and the star imports in order."""

    names: dict[str, Import] = field(default_factory=dict)
    stars: list[Import] = field(default_factory=list)
    modules: list[Import] = field(default_factory=list)
    """every module that an import statement names, in order: the file's dependencies"""

    def resolve(self, dotted: str) -> str | None:
        """What `F.relu` stands for (`torch.nn.functional.relu`); None if its first name isn't imported."""
        first, dot, rest = dotted.partition(".")
        found = self.names.get(first)
        return None if found is None else found.dotted + dot + rest


def import_table(source: Source) -> ImportTable:
    """Reads the imports that run when the module does, also those under `if`, `try` and `with`."""
    table = ImportTable()
    for statement in statements(source.body, into_definitions=False):
        if isinstance(statement, ir.Import):
            for alias in statement.names:
                _add_import(table, alias)
        elif isinstance(statement, ir.ImportFrom):
            _add_import_from(table, statement)
    return table


def mentions_torch(text: str) -> bool:
    """Whether a file can matter at all: it names torch, or a library built on it, anywhere (comments included)."""
    return _torch(text) is not None


def _add_import(table: ImportTable, alias: ir.Alias) -> None:
    table.modules.append(Import(alias.name))
    if alias.asname is not None:
        table.names[alias.asname] = Import(alias.name)
    else:  # `import a.b` binds `a`
        first = alias.name.partition(".")[0]
        table.names[first] = Import(first)


def _add_import_from(table: ImportTable, statement: ir.ImportFrom) -> None:
    module = Import(statement.module or "", None, statement.level)
    table.modules.append(module)
    for alias in statement.names:
        if alias.name == "*":
            table.stars.append(module)
        else:
            table.names[alias.asname or alias.name] = Import(module.module, alias.name, module.level)
