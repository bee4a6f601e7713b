"""What things that can be iterated over give: the items that are held, and those that may follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from . import budget
from .values import Phi, Unknown, Value, leaves


class Seq:
    """The items of an iterable: `items`, and if it is `open`, further ones, made by `more(i)`.

    Integers that follow one another may end before an unknown one, `until`.
    """

    __slots__ = ("items", "more", "open", "until")

    def __init__(self, items: Sequence[Value], open_: bool = False, more: Callable[[int], Value] | None = None) -> None:
        self.items = items
        self.open = open_
        self.more = more
        self.until: Unknown | None = None

    def left(self, i: int) -> int | Unknown | None:
        """How many items there are from the i-th on; None if nothing is known of that."""
        if not self.open:
            return len(self.items) - i
        if self.until is None or not isinstance(first := self.item(i), int):
            return None
        return Unknown("what is left", ("-", self.until.key, ("const", "int", first)), number=True)

    def item(self, i: int) -> Value:
        """The i-th item; one that isn't held is made, or unknown."""
        if i < len(self.items):
            return self.items[i]
        return self.more(i) if self.more is not None else Unknown(f"item {i}")

    def item_or_none(self, i: int) -> Value:
        """The i-th item in a tuple, which is empty if there is none."""
        return self.item(i) if self.open or i < len(self.items) else NO_ITEM

    def known(self) -> list[Value]:
        """The items that are held; if none is, one of the further ones."""
        if self.open and not self.items and self.more is not None:
            return [self.more(0), self.more(1)]
        return list(self.items[: budget.LIMITS.items])


class Made(Sequence[Value]):
    """A sequence that makes its items."""

    def __init__(self, n: int, make: Callable[[int], Value]) -> None:
        self.n = n
        self.make = make

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: Any) -> Any:
        places = range(self.n)[i]
        return self.make(places) if isinstance(places, int) else [self.make(k) for k in places]


NO_ITEM = Unknown("no item", number=True)
"""The item of a list in a place that it doesn't have on one side of a branch."""


@lru_cache(64)
def in_one_row(rows: Phi) -> tuple[Value, ...]:
    """The items of a choice of rows: as many as the longest has, `NO_ITEM` where a row is shorter.

    The same choice is asked again and again while nothing changes it.
    """
    ways = [way for way in leaves(rows) if isinstance(way, tuple)]
    longest = max(ways, key=len, default=())
    held = Held(longest)
    held.note(rows)
    return tuple(held.item(rows, k) for k in range(len(longest)))


class Held:
    """Which places of the longest row have items that other rows have, too; sets of places are bits of a number."""

    def __init__(self, longest: tuple[Value, ...]) -> None:
        self.longest = longest
        self.known: dict[int, tuple[int, int]] = {}
        """by a choice of rows: the places that each of them has, and those that any has"""

    def note(self, rows: Value) -> tuple[int, int]:
        """Note of a choice of rows the places that each, and that any of them has."""
        if id(rows) not in self.known:
            if type(rows) is Phi:
                (each, some), (each_too, some_too) = self.note(rows.then), self.note(rows.orelse)
                self.known[id(rows)] = each & each_too, some | some_too
            else:
                own = self.places(rows) if isinstance(rows, tuple) else 0
                self.known[id(rows)] = own, own
        return self.known[id(rows)]

    def places(self, row: tuple[Value, ...]) -> int:
        """The places in the longest row whose items a row also has."""
        if all(one is other for one, other in zip(row, self.longest, strict=False)):
            return (1 << len(row)) - 1
        ids = {id(item) for item in row}
        return sum(1 << k for k, item in enumerate(self.longest) if id(item) in ids)

    def item(self, rows: Value, k: int) -> Value:
        """The item of a row in place `k` of the longest row, if it has one there."""
        each, some = self.known[id(rows)]
        if each >> k & 1:
            return self.longest[k]
        if not some >> k & 1 or type(rows) is not Phi:
            return NO_ITEM
        then, orelse = self.item(rows.then, k), self.item(rows.orelse, k)
        return then if are_one(then, orelse) else Phi(rows.cond, then, orelse)


def are_one(a: Value, b: Value) -> bool:
    """Whether two values are the same choice among the same."""
    if type(a) is Phi and type(b) is Phi:
        return a.cond == b.cond and are_one(a.then, b.then) and are_one(a.orelse, b.orelse)
    return a is b


ANY_SEQ = Seq((), open_=True)
"""The items of something unknown."""
