"""Keeps text away from the parser that would overflow its stack or the memory, and take the process along.

libcst's native parser recurses for every bracket, block and link of a chain (`a + b + …`, `a.b.c…`), without
a limit. The stack of a thread may be as small as 1 MiB, so the need is estimated before a parse. And it takes some 5
kB for every item of a list.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .scan import STRING

if TYPE_CHECKING:
    from collections.abc import Iterator

_tokens = re.compile(
    rf"""
    (?P<string>{STRING})
  | \#[^\r\n]*
  | \\(?:\r\n|[\s\S])
  | (?P<open>[(\[{{])
  | (?P<close>[)\]}}])
  | (?:\r\n|\r|\n)(?P<line>[ \t\f]*)(?=[^\s\#])
  | (?P<end>[,;])
  | (?P<link>\*\*|//|<<|>>|[-+*/%@&|^~.:] | \b(?:and|or|not|if|for|lambda|await)\b)
    """,
    re.VERBOSE,
)
_indentations = re.compile(r"[\r\n]([ \t\f]*)(?=[^\s\#])").findall
_words = re.compile(r"(?:and|or|elif|not|if|for|lambda|await)\b").findall
_brace = re.compile(r"[{}]")
_elif = re.compile(r"^[ \t]*elif\b", re.MULTILINE)

# Kilobytes of stack, measured with libcst 1.9 on x86-64 by nesting each construct until it overflows.
_bracket = 9
_block = 26
_link = 2
_adjacent_string = 1
_most = 850


_parts = 100_000
"""Items, operators and names of attributes in a text: more of them need more than 500 MB."""


class TooDeepError(Exception):
    """The text nests, chains or holds more than the parser can handle safely; `offset` is where it gets too much."""

    def __init__(self, offset: int, message: str = "nested too deeply") -> None:
        super().__init__(message)
        self.offset = offset


def check_depth(text: str) -> None:
    """Raises `TooDeepError` where a parse of `text` might need more stack, or more memory, than there is."""
    if len(text) > _parts and sum(kind != "string" for kind in _kinds(text)) > _parts:
        raise TooDeepError(0, "is too long to be parsed: it has too many parts")
    if _bound(text) > _most:
        _check_each(text)


def _kinds(text: str) -> Iterator[str | None]:
    return (match.lastgroup for match in _tokens.finditer(text))


def _bound(text: str) -> int:
    """What no place in a text needs more than: as if all in it were nested and chained, strings and comments too.

    Most texts are shallow enough to be let through by that, which is counted in a quarter of the time.
    """
    brackets = sum(map(text.count, "([{"))
    links = sum(map(text.count, "-+*/%@&|^~.:<>)]}")) + len(_words(text))
    strings = text.count("'") + text.count('"')
    blocks = 1 + len(set(_indentations(text)))
    return brackets * _bracket + blocks * _block + links * _link + strings * _adjacent_string


def _check_each(text: str) -> None:
    """The same, token by token."""
    chain = 0  # what the links since the last comma need
    outer: list[int] = []  # the same for each open bracket around
    total = 0  # of all in `outer`
    blocks = [0]  # widths of the indentations around
    for match in _tokens.finditer(text):
        kind = match.lastgroup
        if kind == "open":
            outer.append(chain)
            total += chain
            chain = 0
        elif kind == "close" and outer:
            chain = outer.pop()
            total -= chain
            chain += _link
        elif kind == "line" and not outer:
            chain = 0
            _indent(blocks, len(match["line"]))
        elif kind == "end":
            chain = 0
        elif kind == "link":
            chain += _link
        elif kind == "string":
            chain += _adjacent_string
        need = len(outer) * _bracket + len(blocks) * _block + total + chain
        if kind == "string" and "f" in text[max(0, match.start() - 2) : match.start()].lower():
            need += _field_depth(match["string"]) * _bracket
        if need > _most:
            raise TooDeepError(match.start())
    if len(_elif.findall(text)) * _link > _most:
        raise TooDeepError(0)


def _field_depth(string: str) -> int:
    """How deeply the replacement fields of an f-string nest."""
    depth = deepest = 0
    for brace in _brace.findall(string.replace("{{", "")):
        depth = depth + 1 if brace == "{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def _indent(blocks: list[int], width: int) -> None:
    while width < blocks[-1]:
        blocks.pop()
    if width > blocks[-1]:
        blocks.append(width)
