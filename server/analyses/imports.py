"""Imports: modules of the program are replayed once; everything else is a library's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import library, statements
from .models import registry
from .state import Raised
from .values import ABSENT, Frame, ModuleV, Unknown, Value

if TYPE_CHECKING:
    from ..syntax import ir
    from ..syntax.chunks import Source
    from .machine import Machine

LIBRARIES = frozenset({"torch", "numpy", "math", "typing", "collections", "functools", "itertools", "copy"})
"""Never looked for among the program's own files."""


def load(m: Machine, name: str, level: int, importer: str) -> ModuleV | None:
    """The module of the program that an import names, replayed when it is first imported; None for a library's."""
    if not level and name.partition(".")[0] in LIBRARIES:
        return None
    source = m.modules.load(name, level, importer)
    if source is None:
        return None
    known = m.loaded.get(source.path, ABSENT)
    if known is ABSENT:
        return run_module(m, source, name)
    return known if isinstance(known, ModuleV) else None


def run_module(m: Machine, source: Source, name: str) -> ModuleV:
    """Replay a module's code. A cyclic import sees what is bound so far."""
    frame = Frame(None, None, name)
    module = ModuleV(name, source.path, frame)
    m.loaded[source.path] = module
    frame.d["__name__"] = name
    frame.d["__file__"] = source.path
    before = (m.frame, m.chunk, m.node, m.stack, m.written, m.via)
    m.frame, m.stack, m.written, m.via = frame, (), None, ""
    try:
        statements.run_block(m, list(source.body))
    except Raised as error:
        m.lost(error)
    finally:
        m.frame, m.chunk, m.node, m.stack, m.written, m.via = before
    return module


def importer(m: Machine) -> str:
    """The file that the running code belongs to."""
    assert m.chunk is not None
    return m.chunk.path


def import_(m: Machine, s: ir.Import) -> Value:
    """`import a.b as c`."""
    for alias in s.names:
        if alias.asname is not None:
            m.state.set(m.frame.d, alias.asname, module(m, alias.name))
            continue
        module(m, alias.name)
        top = alias.name.partition(".")[0]
        m.state.set(m.frame.d, top, module(m, top))
    return None


def module(m: Machine, name: str) -> Value:
    """A module by its absolute name: of the program, else of a library."""
    own = load(m, name, 0, importer(m))
    return own if own is not None else library.resolve(m, name)


def import_from(m: Machine, s: ir.ImportFrom) -> Value:
    """`from a import b`: a name of the module, or a submodule."""
    path = importer(m)
    own = load(m, s.module or "", s.level, path) if (s.module or s.level) else None
    for alias in s.names:
        if alias.name == "*":
            star(m, s, own)
            continue
        m.state.set(m.frame.d, alias.asname or alias.name, member(m, s, own, alias.name, path))
    return None


def member(m: Machine, s: ir.ImportFrom, own: ModuleV | None, name: str, path: str) -> Value:
    """What `from module import name` binds."""
    if own is not None:
        found = own.frame.d.get(name, ABSENT)
        if found is not ABSENT:
            return found
    dotted = f"{s.module}.{name}" if s.module else name
    sub = load(m, dotted, s.level, path)
    if sub is not None:
        return sub
    if own is not None or s.level:
        return Unknown(name, ("import", path, s.level, dotted))
    return library.resolve(m, dotted)


def star(m: Machine, s: ir.ImportFrom, own: ModuleV | None) -> None:
    """`from module import *`: the names of a module of the program; of a library's, those that are known."""
    if own is not None:
        listed = own.frame.d.get("__all__")
        for name, v in own.frame.d.items():
            if (not str(name).startswith("_") and listed is not None) or not str(name).startswith("_"):
                m.state.set(m.frame.d, name, v)
    elif s.module and s.module.partition(".")[0] in LIBRARIES:
        prefix = f"{s.module}."
        for name in registry.names():
            short = name[len(prefix) :]
            if name.startswith(prefix) and "." not in short and not short.startswith("_"):
                m.state.set(m.frame.d, short, library.resolve(m, name))
