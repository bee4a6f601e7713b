"""Where the code of a notebook is in the text of its file, for formats that know lines of files but not cells."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING

from .lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator

_decode = json.JSONDecoder().raw_decode
_BLANKS = re.compile(r"[ \t\r\n]*")
_CHARACTER = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL)
"""a character in a string of JSON; one that is written as a pair of surrogates is one"""


class NotebookFile:
    """The text of a notebook's file, which is one that `read_notebook` takes."""

    def __init__(self, text: str) -> None:
        self.lines = Lines(text)
        self._text = text
        whole = dict(_members(text, _blanks(text, 0)))
        self._cells = [at for _, at in _members(text, whole["cells"])]

    def place(self, cell: int, offset: int) -> tuple[int, int]:
        """The 0-based line and column of a character of a code cell, which is counted from 1 among all cells."""
        at = start = self._cells[cell - 1]
        for at in self._strings(start):
            size = len(_decode(self._text, at)[0])
            if offset < size:
                return self.lines.position(self._behind(at, offset))
            offset -= size
        return self.lines.position(at if at == start else _decode(self._text, at)[1] - 1)

    def _strings(self, cell: int) -> Iterator[int]:
        """Where the strings begin that make up a cell's source: it is one, or a list of them."""
        source = dict(_members(self._text, cell)).get("source")
        if source is not None and self._text[source] == "[":
            yield from (at for _, at in _members(self._text, source) if self._text[at] == '"')
        elif source is not None and self._text[source] == '"':
            yield source

    def _behind(self, string: int, count: int) -> int:
        """The offset after that many characters of the JSON string that begins there."""
        return next(islice(_CHARACTER.finditer(self._text, string + 1), count, None)).start()


def _members(text: str, at: int) -> Iterator[tuple[str | None, int]]:
    """The keys of the JSON object at an offset, and where their values begin; of a list, the same without keys."""
    closing = "}" if text[at] == "{" else "]"
    at = _blanks(text, at + 1)
    while text[at] != closing:
        key = None
        if closing == "}":
            key, at = _decode(text, at)
            at = _blanks(text, _blanks(text, at) + 1)
        yield key, at
        at = _blanks(text, _decode(text, at)[1])
        if text[at] == ",":
            at = _blanks(text, at + 1)


def _blanks(text: str, at: int) -> int:
    """The offset after the blanks there."""
    found = _BLANKS.match(text, at)
    return at if found is None else found.end()
