"""What somebody may have meant who mistyped a name."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ALIKE = 0.75
"""how much of two words must be the same: of a rule's code all but one character"""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like `word`, whatever the case of its letters; None if none is like it."""
    likeness = {one: SequenceMatcher(None, word.casefold(), one.casefold()).ratio() for one in known}
    best = max(likeness, key=lambda one: likeness[one], default=None)
    return best if best is not None and likeness[best] >= ALIKE else None
