"""Which files a replay has to begin with: those that use torch, and those that import such files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax import ir
from ..syntax.imports import mentions_torch
from ..syntax.walk import statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..analyses import Modules
    from ..syntax.chunks import Source


def relevant(sources: Iterable[Source], modules: Modules) -> list[Source]:
    """The sources that use torch (or call `backward`) themselves or through what they import, in their order.

    The others compute nothing that could fail; what a relevant file imports of them is replayed from there.
    """
    sources = list(sources)
    importers: dict[str, list[str]] = {}
    found: list[str] = []
    seen = {source.path for source in sources}
    waiting = list(sources)
    while waiting:
        source = waiting.pop()
        if mentions_torch(source.text) or "backward" in source.text:
            found.append(source.path)
            continue
        for imported in _imported(source, modules):
            importers.setdefault(imported.path, []).append(source.path)
            if imported.path not in seen:
                seen.add(imported.path)
                waiting.append(imported)
    reached = set(found)
    while found:
        new = [path for path in importers.get(found.pop(), ()) if path not in reached]
        reached.update(new)
        found += new
    return [source for source in sources if source.path in reached]


def _imported(source: Source, modules: Modules) -> Iterator[Source]:
    """The files of the project that a file imports, anywhere in it."""
    for name, level in _names(source):
        module = modules.load(name, level, source.path)
        if module is not None:
            yield module


def _names(source: Source) -> Iterator[tuple[str, int]]:
    for statement in statements(source.body):
        if isinstance(statement, ir.Import):
            yield from ((alias.name, 0) for alias in statement.names)
        elif isinstance(statement, ir.ImportFrom):
            package = statement.module or ""
            yield package, statement.level
            # What a package is asked for may be one of its modules.
            yield from ((f"{package}.{alias.name}".lstrip("."), statement.level) for alias in statement.names)
