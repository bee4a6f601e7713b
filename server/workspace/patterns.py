"""Patterns of files, as in `.gitignore`, matched without exponential backtracking.

pathspec turns a pattern into a regular expression in which each `*` and `**` may backtrack into all before it: a dozen
of them take forever. Its backends RE2 and Hyperscan do not backtrack, but neither is available on every platform. For
the text between two wildcards of a kind, the first match is always good enough and need not be searched again: the
standard library's `fnmatch` makes use of that, and so do we.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STAR = "[^/]*"
"""What pathspec makes of a `*` in a segment."""

LEADING, INNER = "^(?:.+/)?", "(?:/.+)?"
"""What it makes of a `**`, before a segment and between two."""


def patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """The patterns in these lines. Raises ValueError for a wrong one."""
    return GitIgnoreSpec.from_lines(lines, _Pattern, backend="simple")


class _Pattern(GitIgnoreSpecPattern):
    """One pattern, in which only the last wildcard of each kind is tried more than once."""

    __slots__ = ()

    @classmethod
    def pattern_to_regex(cls, pattern: str) -> tuple[str | None, bool | None]:  # type: ignore[override]
        regex, include = super().pattern_to_regex(pattern)
        return regex and _linear(regex), include


def _linear(regex: str) -> str:
    """As `regex`, but what a wildcard leads to is taken where it is found first, if one of its kind follows."""
    names = (f"first{n}" for n in count())
    *parts, last = regex.split(INNER)
    if not parts:
        return _segments(last, names)
    first, *inner = (_segments(part, names) for part in parts)
    if first.startswith(LEADING):
        first = "^" + _once(f"(?:.+?/)??{first.removeprefix(LEADING)}(?=/)", names)
    inner = [_once(f"(?:/.+?)??{one}(?=/)", names) for one in inner]
    return "".join((first, *inner, INNER, _segments(last, names)))


def _segments(regex: str, names: Iterator[str]) -> str:
    """The same for each `*` that another one follows in its segment."""
    made, *pieces = regex.split(STAR)
    for i, piece in enumerate(pieces):
        is_last = i + 1 == len(pieces) or "/" in piece.replace("[^/]", "")
        made += f"{STAR}{piece}" if is_last else _once(f"{STAR}?{piece}", names)
    return made


def _once(regex: str, names: Iterator[str]) -> str:
    """An atomic group: what it has matched first is what it matches. (From Python 3.11 on that would be `(?>…)`.)"""
    name = next(names)
    return f"(?=(?P<{name}>{regex}))(?P={name})"
