"""A place in a chunk's text that walks along with the tree, so that nodes get spans without metadata."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from sys import intern
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .text import Excerpt

# Outside of strings a backslash can only continue a line, so it is as blank as the newline after it.
_blank = re.compile(r"[ \t\f\r\n\\]*(?:#[^\r\n]*[ \t\f\r\n\\]*)*").match

_BLANKS = " \t\f\r\n\\#"  # what any of these begins is left to the pattern, but for a single space
_END = "\0"  # no blank: there is always a next character to look at


def next_token(text: str, offset: int) -> int:
    """Where the first token at or after `offset` begins: after blanks, comments and continued lines."""
    match = _blank(text, offset)
    assert match is not None
    return match.end()


def differ_in_comments(old: str, new: str, end: int) -> bool:
    """Whether two texts are the same up to `end`, where the code of the old one ends, and that of the new one, too."""
    return old[:end] == new[:end] and "\\" not in new[end:] and next_token(new, end) == len(new)


class LostError(Exception):
    """The text does not go on with the token that the tree says: `offset` is where."""

    def __init__(self, expected: str, offset: int) -> None:
        super().__init__(f"expected {expected!r}")
        self.offset = offset


@dataclass(slots=True)
class Bindings:
    """The names that the function, class or module being lowered binds, so far."""

    names: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    is_generator: bool = False

    def add(self, more: Bindings) -> None:
        """Take over what another piece of the same function binds."""
        self.names |= more.names
        self.globals |= more.globals
        self.nonlocals |= more.nonlocals
        self.is_generator |= more.is_generator


class Cursor:
    """Stands at the start of the next token (`pos`) and remembers where the last one ended (`end`)."""

    __slots__ = ("bindings", "chunk", "end", "pos", "text")

    def __init__(self, text: str, chunk: Excerpt) -> None:
        self.text = text + _END
        self.chunk = chunk
        self.bindings = Bindings()
        self.end = 0
        self.pos = next_token(text, 0)

    def take(self, token: str) -> None:
        """Steps over `token`, and blanks, comments and continued lines after it.

        Raises `LostError` if something else stands here.
        """
        start, text = self.pos, self.text
        end = start + len(token)
        if text[start:end] != token:
            raise LostError(token, start)
        self.pos = self.end = end
        if text[end] in _BLANKS:
            self.pos = end + 1 if text[end] == " " and text[end + 1] not in _BLANKS else next_token(text, end)

    def take_raw(self, token: str) -> None:
        """Like `take`, but what follows is part of a string, where blanks and `#` count."""
        start = self.pos
        if not self.text.startswith(token, start):
            raise LostError(token, start)
        self.pos = self.end = start + len(token)

    def word(self, name: str) -> str:
        """Steps over an identifier and returns it as Python knows it: in the normal form NFKC."""
        self.take(name)
        return intern(name) if name.isascii() else intern(unicodedata.normalize("NFKC", name))
