"""Texts and positions between the client and us.

Inside, a place is an offset, or a line and a column, in code points. The client counts lines as LSP
does (`\\n`, `\\r\\n` and `\\r` end a line, a form feed does not) and columns in the units of the position
encoding that was negotiated.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.chunks import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


class Text:
    """A document's text, with conversions to and from the client's positions."""

    __slots__ = ("encoding", "starts", "text")

    def __init__(self, text: str, encoding: types.PositionEncodingKind | str, starts: list[int] | None = None) -> None:
        self.text = text
        self.encoding = encoding
        self.starts = starts or [0, *_line_starts(text, 0)]

    def line(self, line: int) -> str:
        """Return a line without its end; raises IndexError past the last."""
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[line] : end].rstrip("\r\n")

    def offset(self, position: types.Position) -> int:
        """Return the offset of a client's position, moved into the text where it lies outside."""
        if position.line >= len(self.starts):
            return len(self.text)
        return self.starts[position.line] + to_column(self.line(position.line), position.character, self.encoding)

    def at(self, line: int, column: int) -> int:
        """Return the offset of a line and a code-point column."""
        return self.starts[line] + column if line < len(self.starts) else len(self.text)

    def position(self, offset: int) -> types.Position:
        """Return the client's position of an offset."""
        line = bisect_right(self.starts, offset) - 1
        return self.place(line, offset - self.starts[line])

    def place(self, line: int, column: int) -> types.Position:
        """Return the client's position of a line and a code-point column."""
        if line >= len(self.starts):
            line, column = len(self.starts) - 1, len(self.text)
        return types.Position(line, to_units(self.line(line), column, self.encoding))

    def range(self, span: Span) -> types.Range:
        """Return the client's range of a span."""
        return types.Range(self.place(span.start_line, span.start_col), self.place(span.end_line, span.end_col))

    def between(self, start: int, end: int) -> types.Range:
        """Return the client's range of the offsets from `start` to `end`."""
        return types.Range(self.position(start), self.position(end))

    def replace(self, range_: types.Range, new: str) -> Text:
        """Return this text with a client's range replaced; only lines near the edit are looked at again."""
        start = self.offset(range_.start)
        end = max(start, self.offset(range_.end))
        text = self.text[:start] + new + self.text[end:]
        moved = len(new) - (end - start)
        # One line before the edit: a `\r` at its end and a new `\n` become one line end.
        first = max(bisect_right(self.starts, start) - 2, 0)
        after = bisect_right(self.starts, end)
        stop = self.starts[after] + moved if after < len(self.starts) else len(text)
        near = _line_starts(text[self.starts[first] : stop], self.starts[first])
        far = [offset + moved for offset in self.starts[after + 1 :]]
        return Text(text, self.encoding, [*self.starts[: first + 1], *near, *far])


def _line_starts(text: str, offset: int) -> list[int]:
    """Return where the lines after the first begin, for a piece of text that stands at an offset."""
    return [offset + match.end() for match in _LINE_END.finditer(text)]


def to_units(line: str, column: int, encoding: types.PositionEncodingKind | str) -> int:
    """Return how many units of `encoding` stand before a code-point column of a line."""
    head = line[:column]
    if encoding == types.PositionEncodingKind.Utf32 or head.isascii():
        return len(head)
    return sum(map(_width(encoding), head))


def to_column(line: str, units: int, encoding: types.PositionEncodingKind | str) -> int:
    """Return the code-point column at a number of units: at most the line's end, never inside a character."""
    if encoding == types.PositionEncodingKind.Utf32 or line.isascii():
        return min(max(units, 0), len(line))
    width = _width(encoding)
    for column, character in enumerate(line):
        units -= width(character)
        if units < 0:
            return column
    return len(line)


def _width(encoding: types.PositionEncodingKind | str) -> Callable[[str], int]:
    return _utf8_width if encoding == types.PositionEncodingKind.Utf8 else _utf16_width


def _utf8_width(character: str) -> int:
    point = ord(character)
    return 1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4


def _utf16_width(character: str) -> int:
    return 2 if ord(character) > 0xFFFF else 1
