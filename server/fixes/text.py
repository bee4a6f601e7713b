"""Small helpers for names and titles."""

from __future__ import annotations

import re


def quote(code: str, limit: int = 48) -> str:
    """Return `code` on one line, shortened, between backquotes."""
    line = re.sub(r"\s+", " ", code.strip())
    return f"`{line if len(line) <= limit else line[: limit - 1] + '…'}`"


def words(text: str) -> frozenset[str]:
    """Return the words of `text` as a set."""
    return frozenset(text.split())
