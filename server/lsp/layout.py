"""Where the cells of a notebook are in its program."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .convert import PartOfText, Text

if TYPE_CHECKING:
    from ..workspace.notebook import Notebook


@dataclass(frozen=True, slots=True)
class Layout:
    """Which cell has which lines of the program: `uris` has its cells in order, `versions` those of their texts."""

    program: Notebook
    uris: tuple[str, ...]
    versions: dict[str, int | None]

    def text_of(self, uri: str, program: Text) -> Text:
        """Return the part of the program that a cell has; an empty text for a cell without code."""
        if uri not in self.uris:
            return Text("", program.encoding)
        return self._part(self.uris.index(uri), program)

    def at(self, line: int, program: Text) -> tuple[str, Text]:
        """Return the URI of the cell that has a line of the program, and the part that it has."""
        index = max(bisect_right(self.program.lines, line) - 1, 0)
        return self.uris[index], self._part(index, program)

    def _part(self, index: int, program: Text) -> Text:
        first, *more = self.program.lines[index:]
        return PartOfText(program, first, max(more[0] if more else len(program.starts) - 1, first + 1) - 1)
