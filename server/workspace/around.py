"""The smallest program in which a fix can be tried: the files that a failure is in, and those that import them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from ..analyses.domain.report import Site
from .relevance import mentioned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..analyses.domain.report import Failure


def files_of(failure: Failure) -> set[str]:
    """The files that a failure concerns: all that contain one of its places."""
    return {site.chunk.path for site in _sites(failure)}


def _sites(told: object) -> Iterator[Site]:
    if isinstance(told, Site):
        yield told
    elif is_dataclass(told):
        for field in fields(told):
            yield from _sites(getattr(told, field.name))
    elif isinstance(told, dict):
        yield from _sites(tuple(told.values()))
    elif isinstance(told, (tuple, list)):
        for one in told:
            yield from _sites(one)


class Importers:
    """Which of some files import which, themselves or through others.

    `text` returns the text of a file. `find` returns the path of a module from its dotted name, the number of leading
    dots, and the file that imports it.
    """

    def __init__(
        self, paths: Sequence[str], text: Callable[[str], str], find: Callable[[str, int, str], str | None]
    ) -> None:
        self._direct: defaultdict[str, list[str]] = defaultdict(list)
        todo, seen = list(paths), set(paths)
        while todo:
            path = todo.pop()
            for name, level in mentioned(text(path)):
                other = find(name, level, path)
                if other is not None:
                    self._direct[other].append(path)
                    if other not in seen:
                        seen.add(other)
                        todo.append(other)

    def of(self, paths: Iterable[str]) -> set[str]:
        """These files and all files that import one of them."""
        found: set[str] = set()
        todo = list(paths)
        while todo:
            path = todo.pop()
            if path not in found:
                found.add(path)
                todo += self._direct[path]
        return found
