"""Where statements begin: a scanner of strings, brackets and lines that is much cheaper than a parse.

It is exact for correct text. In broken text it does its best: a bracket that is never closed ends with
its line, so that what follows is still seen as statements.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from .cursor import next_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .text import Kind

BOM = "\ufeff"

STRING = r"""
    \"\"\"[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*\"\"\"
  | '''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*'''
  | "[^"\\\r\n]*(?:\\(?:\r\n|[\s\S])[^"\\\r\n]*)*"
  | '[^'\\\r\n]*(?:\\(?:\r\n|[\s\S])[^'\\\r\n]*)*'
  | ["'][^\r\n]*
"""
# First what means nothing here, then one thing that does, or the end: a match begins where the last one ended. Of the
# alternatives the first is whatever no boundary can lie in; brackets without anything inside that matters are passed
# in one go.
_skipped = rf"{STRING} | \#[^\r\n]* | \\(?:\r\n|[\s\S]|\Z) | \([^()\[\]{{}}\"'\#\\\r\n]*\)"
_tokens = r"""[^()\[\]{{}}"'\#\\\r\n]*(?:
    {skipped} | (?P<open>[(\[{{]) | (?P<close>[)\]}}]) | (?:\r\n|\r|\n)(?P<line>{indent})(?=[^\s\#]) | [\r\n] | \Z
)"""
_end_of_line = re.compile(r"[^\r\n]*")

# Words that cannot begin a line inside of brackets: the bracket was never closed.
_statement = re.compile(
    r"(?:class|def|import|return|raise|with|while|try|del|assert|global|nonlocal|pass|break|continue|elif|except"
    r"|finally|async[ \t]+(?:def|with))\b"
).match

_clause = re.compile(r"(?:else|elif|except|finally)\b").match
_class = re.compile(r"class\b").match
_most_rewinds = 20  # each may read the rest of the text again


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of a chunk: `text[start:end]` of a file.

    `statement`: one statement. `header`: a class statement up to the first line of its body. `member`: one
    statement of that body, indented; it follows its header or another member.
    """

    kind: Kind
    start: int
    end: int


@lru_cache
def _scanner(indent: str) -> re.Pattern[str]:
    return re.compile(_tokens.format(skipped=_skipped, indent=indent), re.VERBOSE)


def lines(
    text: str, start: int, end: int, indent: str = r"[ \t\f]*", unclosed: list[int] | None = None
) -> Iterator[tuple[int, int]]:
    """The logical lines that begin in `text[start:end]` with an indentation that matches `indent`.

    Gives where the line begins, and where its first word does. `start` must be at the beginning of a line, outside
    strings and brackets; a line right there is left out. Brackets that are never closed are added to `unclosed`.
    """
    scan = _scanner(indent).finditer
    for rewinds in range(_most_rewinds + 1):
        opened: list[int] = []
        for match in scan(text, start, end):
            kind = match.lastgroup
            if kind == "line":
                statement = opened and _statement(text, match.end())
                if statement and rewinds < _most_rewinds:
                    break
                if statement:
                    opened.clear()
                if not opened:
                    yield match.span("line")
            elif kind == "open":
                opened.append(match.end() - 1)
            elif kind == "close" and opened:
                opened.pop()
        if not opened:
            return
        if unclosed is not None:
            unclosed.append(opened[0])
        start = line_end(text, opened[0])


def line_end(text: str, offset: int) -> int:
    """Where the physical line around `offset` ends, before its newline."""
    match = _end_of_line.match(text, offset)
    assert match is not None
    return match.end()


def split(text: str) -> list[Piece]:
    """Cuts a file into pieces that follow one another without a gap (but for a byte order mark)."""
    if not text:
        return []
    statements = statement_starts(text, 1 if text[0] == BOM else 0, len(text), r"\f*")
    return _cut(text, [*statements, (len(text), len(text))])


def split_until(text: str, begin: int, end: int) -> list[Piece] | None:
    """The pieces from `begin`, where a statement begins, up to `end`; None if none begins there."""
    if not begin and text.startswith(BOM):
        begin = 1
    if begin == end:
        return []
    statements = statement_starts(text, begin, len(text), r"\f*", until=end)
    if end == len(text):
        statements.append((end, end))
    return _cut(text, statements) if statements[-1][0] == end else None


def split_members(text: str, begin: int, end: int, indent: str) -> list[Piece] | None:
    """The members of a class from `begin`, where one begins, up to `end`; None if no statement begins there.

    Also None if the class ends before that. `indent` is the indentation of its members.
    """
    starts = statement_starts(text, begin, len(text), f"(?:{re.escape(indent)})?", until=end)
    if end == len(text):
        starts.append((end, end))
    if starts[-1][0] != end or any(text[line:head] != indent for line, head in starts[1:-1]):
        return None
    return [Piece("member", start, stop) for (start, _), (stop, _) in pairwise(starts)]


def _cut(text: str, statements: list[tuple[int, int]]) -> list[Piece]:
    """The pieces of all statements except the last one, which marks the end of the one before it."""
    pieces = []
    for (start, head), (end, _) in pairwise(statements):
        if _class(text, head):
            pieces += _split_class(text, start, head, end)
        else:
            pieces.append(Piece("statement", start, end))
    return pieces


def statement_starts(text: str, begin: int, end: int, indent: str, until: int | None = None) -> list[tuple[int, int]]:
    """Where the statements of a block start, with and without their decorators.

    The first starts at `begin`, even if blank lines and comments come before it. The search ends once one starts at
    `until` or after it.
    """
    word = next_token(text, begin)
    starts = [(begin, word)]
    for line, head in lines(text, begin, end, indent):
        if head == word:
            continue
        if text.startswith("@", starts[-1][1]):
            starts[-1] = (starts[-1][0], head)
        elif not _clause(text, head):
            starts.append((line, head))
            if until is not None and line >= until:
                break
    return starts


def _split_class(text: str, start: int, head: int, end: int) -> list[Piece]:
    first = next(lines(text, head, end, r"[ \t]+"), None)
    if first is None:
        return [Piece("statement", start, end)]
    body, word = first
    members = statement_starts(text, body, end, re.escape(text[body:word]))
    starts = [member for member, _ in members]
    pieces = [Piece("header", start, body)]
    pieces += [Piece("member", a, b) for a, b in zip(starts, [*starts[1:], end], strict=True)]
    return pieces
