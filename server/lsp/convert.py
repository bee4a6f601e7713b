"""Texts and positions between the client and us.

Inside, a place is an offset, or a line and a column, in code points. The client counts lines as LSP
does (`\\n`, `\\r\\n` and `\\r` end a line, a form feed does not) and columns in the units of the position
encoding that was negotiated.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from lsprotocol import types

from ..syntax.chunks import line_starts, spliced
from ..syntax.positions import from_units, to_units

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..syntax.chunks import Span
    from ..syntax.positions import Encoding


class Text:
    """A document's text, with conversions to and from the client's positions."""

    __slots__ = ("encoding", "starts", "text")

    def __init__(self, text: str, encoding: Encoding, starts: list[int] | None = None) -> None:
        self.text = text
        self.encoding = encoding
        self.starts = starts or line_starts(text)

    def line(self, line: int) -> str:
        """Return a line without its end; raises IndexError past the last."""
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[line] : end].rstrip("\r\n")

    def offset(self, position: types.Position) -> int:
        """Return the offset of a client's position; one outside the text is moved into it."""
        if position.line >= len(self.starts):
            return len(self.text)
        return self.starts[position.line] + from_units(self.line(position.line), position.character, self.encoding)

    def at(self, line: int, column: int) -> int:
        """Return the offset of a line and a code-point column."""
        return self.starts[line] + column if line < len(self.starts) else len(self.text)

    def line_at(self, offset: int) -> int:
        """Return the line of an offset."""
        return bisect_right(self.starts, offset) - 1

    def position(self, offset: int) -> types.Position:
        """Return the client's position of an offset."""
        line = self.line_at(offset)
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

    def lines(self, range_: types.Range) -> tuple[int, int]:
        """Return the first and the last line of the text that a client's range reaches."""
        return range_.start.line, range_.end.line

    def holds(self, start: int, end: int) -> bool:
        """Whether the text between two offsets is part of this text for the client."""
        return 0 <= start <= end <= len(self.text)

    def edited(self, changes: Iterable[types.TextDocumentContentChangeEvent]) -> Text:
        """Return this text after the client's edits, in their order."""
        text = self
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                text = text.replace(change.range, change.text)
            else:
                text = Text(change.text, self.encoding)
        return text

    def replace(self, range_: types.Range, new: str) -> Text:
        """Return this text with a client's range replaced; only lines near the edit are split again."""
        start = self.offset(range_.start)
        end = max(start, self.offset(range_.end))
        text = self.text[:start] + new + self.text[end:]
        return Text(text, self.encoding, spliced(self.starts, text, start, end, len(new)))


class PartOfText(Text):
    """Some lines of a text, which are a separate text for the client."""

    __slots__ = ("first", "last")

    def __init__(self, whole: Text, first: int, last: int) -> None:
        super().__init__(whole.text, whole.encoding, whole.starts)
        self.first = first
        self.last = last

    def offset(self, position: types.Position) -> int:
        """Return the offset of a client's position; one outside these lines is moved into them."""
        if self.first + position.line > self.last:
            return self.starts[self.last] + len(self.line(self.last))
        return super().offset(types.Position(self.first + position.line, position.character))

    def place(self, line: int, column: int) -> types.Position:
        """Return the client's position of a line and a code-point column, moved into these lines if it is outside."""
        if line > self.last:
            line, column = self.last, len(self.text)
        elif line < self.first:
            line, column = self.first, 0
        whole = super().place(line, column)
        return types.Position(whole.line - self.first, whole.character)

    def lines(self, range_: types.Range) -> tuple[int, int]:
        """Return the first and the last line of the text that a client's range reaches."""
        return self.first + range_.start.line, min(self.first + range_.end.line, self.last)

    def holds(self, start: int, end: int) -> bool:
        """Whether the text between two offsets is in these lines."""
        return self.starts[self.first] <= start <= end <= self.starts[self.last] + len(self.line(self.last))


def encoding_of(kind: types.PositionEncodingKind | str | None) -> Encoding:
    """Return our name of a position encoding; clients that negotiate none speak UTF-16."""
    match kind:
        case types.PositionEncodingKind.Utf8:
            return "utf-8"
        case types.PositionEncodingKind.Utf32:
            return "utf-32"
        case _:
            return "utf-16"
