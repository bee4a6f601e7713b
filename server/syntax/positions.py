"""Columns: code points here, UTF-8, UTF-16 or UTF-32 units in the editor.

The Language Server Protocol counts a line's characters in units of an encoding that client and server
agree on (specification, *Position*); a position after the end of a line means the line's end.
"""

from __future__ import annotations

from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]


def to_units(line: str, column: int, encoding: Encoding) -> int:
    """The units before code point `column` of `line`; a column outside of the line is moved to its end or start."""
    column = min(max(column, 0), line_length(line))
    if encoding == "utf-32" or line.isascii():
        return column
    return sum(_size(character, encoding) for character in line[:column])


def from_units(line: str, units: int, encoding: Encoding) -> int:
    """The code-point column of a position counted in `units`.

    One inside a character is moved to the character's start, one outside of the line to its end or start.
    """
    length = line_length(line)
    if encoding == "utf-32" or line.isascii():
        return min(max(units, 0), length)
    before = 0
    for column in range(length):
        before += _size(line[column], encoding)
        if before > units:
            return column
    return length


def line_length(line: str) -> int:
    """The code points of a line without its newline."""
    return len(line.rstrip("\r\n"))


def _size(character: str, encoding: Encoding) -> int:
    code = ord(character)
    if encoding == "utf-16":
        return 2 if code > 0xFFFF else 1
    return 1 + (code > 0x7F) + (code > 0x7FF) + (code > 0xFFFF)
