"""Which files a replay has to begin with: those that use torch, and those that import such files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..syntax import ir
from ..syntax.imports import mentions_torch
from ..syntax.walk import statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..analyses import Modules
    from ..syntax.chunks import Source


def relevant(sources: Iterable[Source], modules: Modules) -> list[Source]:
    """The sources that use torch (or call `backward`) themselves or through what they import, in their order.

    The others compute nothing that could fail; what a relevant file imports of them is replayed from there.
    """
    sources = list(sources)
    known = {source.path: source for source in sources}

    def imported(path: str) -> Iterator[str]:
        for module in _imported(known[path], modules):
            known.setdefault(module.path, module)
            yield module.path

    reached = _reaching([source.path for source in sources], lambda path: known[path].text, imported)
    return [source for source in sources if source.path in reached]


def may_matter(
    paths: Iterable[str], text: Callable[[str], str], find: Callable[[str, int, str], str | None]
) -> set[str]:
    """The files that may be relevant, by their `text` alone: all that are, and few others.

    `find` gives the path of a module, by its dotted name, the dots before that, and the file that imports it.
    """

    def imported(path: str) -> Iterator[str]:
        for name, level in _mentioned(text(path)):
            found = find(name, level, path)
            if found is not None:
                yield found

    return _reaching(paths, text, imported)


def _reaching(paths: Iterable[str], text: Callable[[str], str], imported: Callable[[str], Iterable[str]]) -> set[str]:
    """The files that use torch, and those that lead to such by what they import."""
    importers: dict[str, list[str]] = {}
    found: list[str] = []
    waiting = list(paths)
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        if uses_torch(text(path)):
            found.append(path)
            continue
        for other in imported(path):
            importers.setdefault(other, []).append(path)
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    reached = set(found)
    while found:
        new = [path for path in importers.get(found.pop(), ()) if path not in reached]
        reached.update(new)
        found += new
    return reached


def uses_torch(text: str) -> bool:
    """Whether a file may use torch itself."""
    return mentions_torch(text) or "backward" in text


_FROM = re.compile(r"\bfrom\s+(\.*)\s*([\w.]*)\s+import\s*(\([^)]*\)|[^\n;]*)").finditer
_IMPORT = re.compile(r"\bimport\s+([^\n;#]*)").findall
_NAME = re.compile(r"[^\W\d][\w.]*").findall
_CONTINUED = re.compile(r"\\\r?\n")


def _mentioned(text: str) -> Iterator[tuple[str, int]]:
    """All that the text may import, whatever in it is a comment or a string."""
    text = _CONTINUED.sub(" ", text)
    for match in _FROM(text):
        level, package = len(match[1]), match[2]
        yield package, level
        yield from ((f"{package}.{name}".lstrip("."), level) for name in dict.fromkeys(_NAME(match[3])))
    for names in _IMPORT(text):
        yield from ((name, 0) for name in dict.fromkeys(_NAME(names)))


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
