"""The ways by which a backward comes to a node or a leaf, each with the conditions that it depends on.

    h = a if flag else b        # backward comes to `a` where flag, to `b` where not flag
    loss = h.sum() + a.sum()    # and to `a` without any condition, which makes the first way to it needless

There are many conditions where a program branches much, and each edge of the graph compares ways. So each answer of a
condition gets a bit, and the ways are compared as numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..domain import budget

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..domain.paths import Guards
    from ..domain.values import Cond

Ways = dict[int, "Guards"]
"""The ways to one node or leaf, each under its number."""

FREE: Ways = {0: ()}
"""The way that depends on nothing."""


class Numbering:
    """Numbers the ways of one backward, by their conditions, and puts them together."""

    def __init__(self) -> None:
        self.places: dict[Cond, int] = {}

    def bit(self, cond: Cond, holds: bool) -> int:
        """The bit of an answer, beside that of the other answer."""
        return 1 << self.places.setdefault(cond, 2 * len(self.places)) + holds

    def number(self, guards: Guards) -> int:
        """The number of a way: the bits of all its answers."""
        number = 0
        for cond, holds in guards:
            number |= self.bit(cond, holds)
        return number

    def add_all(self, known: Ways, more: Ways) -> None:
        """Add several ways to the known ones."""
        if known:
            for number, guards in more.items():
                self.add(known, number, guards)
        else:
            known.update(more)

    def add(self, known: Ways, number: int, guards: Guards) -> None:
        """Add one more way to the known ones, unless it adds nothing.

        Two ways on the two sides of one branch are one way that doesn't depend on it. If there are too many ways, those
        with the fewest conditions are kept.
        """
        if any(number & other == other for other in known):
            return
        for other in known:
            apart = number ^ other
            if is_one_question(apart):
                del known[other]
                left = tuple(guard for guard in guards if not self.bit(*guard) & apart)
                self.add(known, number & ~apart, left)
                return
        for other in [other for other in known if number & other == number]:
            del known[other]
        known[number] = guards
        if len(known) > budget.LIMITS.ways:
            del known[longest(known.items())]


def is_one_question(apart: int) -> bool:
    """Whether two ways that are so far apart give different answers to one question, and the same to all others."""
    lowest = apart & -apart
    return apart == 3 * lowest and lowest.bit_length() % 2 == 1


def longest(ways: Iterable[tuple[int, Guards]]) -> int:
    """The number of the way with the most conditions, the first of several."""
    return max(ways, key=lambda way: len(way[1]))[0]
