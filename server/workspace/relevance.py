"""Which files a replay must start from: those that use torch, and those that import such files."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from ..syntax.imports import mentions_torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def relevant(paths: Sequence[str], text: Callable[[str], str], find: Callable[[str, int, str], str | None]) -> set[str]:
    """The files that use torch (or call `backward`) themselves or through what they import, and few others.

    The others compute nothing that could fail; what a relevant file imports from them is replayed from there. Only
    texts are read, and no more of them than needed. `find` returns the path of a module from its dotted name, the
    number of leading dots, and the file that imports it.
    """
    importers: defaultdict[str, list[str]] = defaultdict(list)
    reached: set[str] = set()
    undecided = set(paths)

    def reach(path: str) -> None:
        todo = [path]
        while todo:
            path = todo.pop()
            if path not in reached:
                reached.add(path)
                undecided.discard(path)
                todo += importers[path]

    waiting = list(reversed(paths))
    seen = set(waiting)
    while undecided and waiting:
        path = waiting.pop()
        if path not in reached and uses_torch(text(path)):
            reach(path)
        for name, level in mentioned(text(path)) if path not in reached else ():
            other = find(name, level, path)
            if other is None:
                continue
            importers[other].append(path)
            if other in reached:
                reach(path)
                break
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return reached.intersection(paths)


def uses_torch(text: str) -> bool:
    """Whether a file may use torch itself, or run a backward; many others are about backward compatibility."""
    return mentions_torch(text) or _BACKWARD(text) is not None


_BACKWARD = re.compile(r"\.\s*backward\b|\bbackward\s*\(|([\"'])backward\1").search
_FROM = re.compile(r"\bfrom\s+(\.*)\s*([\w.]*)\s+import\s*(\([^)]*\)|[^\n;]*)").finditer
_IMPORT = re.compile(r"\bimport\s+([^\n;#]*)").findall
_NAME = re.compile(r"[^\W\d][\w.]*").findall
_CONTINUED = re.compile(r"\\\r?\n")


def mentioned(text: str) -> Iterator[tuple[str, int]]:
    """All that the text may import, including what is in comments and strings."""
    text = _CONTINUED.sub(" ", text)
    for match in _FROM(text):
        level, package = len(match[1]), match[2]
        if package or level:
            yield package, level
        yield from ((f"{package}.{name}".lstrip("."), level) for name in dict.fromkeys(_NAME(match[3])))
    for names in _IMPORT(text):
        yield from ((name, 0) for name in dict.fromkeys(_NAME(names)))
