"""Pieces of a file's text, and where they stand in the file."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind = Literal["statement", "header", "member"]


class Placed(Protocol):
    """Something from `start` up to but not including `end` in a text, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Span:
    """A range of a file: 0-based lines, columns in code points; the end is exclusive."""

    start_line: int
    start_col: int
    end_line: int
    end_col: int


@dataclass(frozen=True, slots=True)
class Edit:
    """How a chunk's text changed since its statements were lowered.

    The first `same` code points are as they were; what was at `end` or after it moved by `shift`.
    """

    same: int
    end: int
    shift: int

    def place(self, offset: int) -> int:
        """Where an offset into the old text is in the new one; removed text collapses to its place."""
        if offset >= self.end:
            return offset + self.shift
        return min(offset, self.same)


@dataclass(slots=True, eq=False)
class Excerpt:
    """A piece of a file's text.

    `text` is the file's text at `offset`, on `line`, unless an `edit` says how it has changed since.
    """

    path: str
    text: str
    offset: int
    line: int
    kind: Kind
    edit: Edit | None = field(default=None, kw_only=True)
    line_starts: list[int] = field(default_factory=list, kw_only=True, repr=False)
    names: dict[Any, list[tuple[Any, str]]] = field(default_factory=dict, kw_only=True, repr=False)
    """the names that its statements mention, once somebody has looked for them"""
    cells: Sequence[tuple[int, int]] = field(default=(), kw_only=True)
    """in a notebook, the number of each cell and the line of the program where it begins"""

    def span(self, node: Placed) -> Span:
        """Where a node of this chunk is in the file."""
        return self.range(node.start, node.end)

    def range(self, start: int, end: int) -> Span:
        """Where the code points `start` to `end` of `text` are in the file."""
        return Span(*self._position(start), *self._position(end))

    def line_of(self, node: Placed) -> int:
        """The 0-based line of the file that a node begins on."""
        return self._position(node.start)[0]

    def piece(self, text: str) -> Excerpt:
        """A piece of this one that is parsed on its own."""
        return Excerpt(self.path, text, 0, 0, "member")

    def place_of(self, node: Placed) -> tuple[int | None, int]:
        """The 0-based line that a node begins on, in a notebook that of its cell, and before it the cell's number."""
        line = self.line_of(node)
        begun = [cell for cell in self.cells if cell[1] <= line]
        return (begun[-1][0], line - begun[-1][1]) if begun else (None, line)

    def _position(self, offset: int) -> tuple[int, int]:
        if self.edit is not None:
            offset = self.edit.place(offset)
        offset += self.offset
        line = bisect_right(self.line_starts, offset) - 1
        return line, offset - self.line_starts[line]
