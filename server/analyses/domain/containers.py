"""What things that can be iterated over give: the items that are held, and those that may follow."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from . import budget
from .values import Phi, Unknown, Value, leaves


class Seq:
    """The items of an iterable: `items`, and if it is `open`, further ones, made by `more(i)`."""

    __slots__ = ("items", "more", "open")

    def __init__(self, items: Sequence[Value], open_: bool = False, more: Callable[[int], Value] | None = None) -> None:
        self.items = items
        self.open = open_
        self.more = more

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


def in_one_row(rows: Phi) -> tuple[Value, ...]:
    """The items of a choice of rows: as many as the longest has, `NO_ITEM` where a row is shorter."""
    ways = [way for way in leaves(rows) if isinstance(way, tuple)]
    longest = max(ways, key=len, default=())
    held = {id(way): places(way, longest) for way in ways}
    return tuple(where_held(rows, item, k, held) for k, item in enumerate(longest))


def places(row: tuple[Value, ...], longest: tuple[Value, ...]) -> Container[int]:
    """The places in the longest row whose items a row also has."""
    if all(one is other for one, other in zip(row, longest, strict=False)):
        return range(len(row))
    ids = {id(item) for item in row}
    return {k for k, item in enumerate(longest) if id(item) in ids}


def where_held(rows: Value, item: Value, k: int, held: Mapping[int, Container[int]]) -> Value:
    """The item of a row in place `k` of the longest row, if it has one there."""
    if type(rows) is not Phi:
        return item if k in held.get(id(rows), ()) else NO_ITEM
    then, orelse = (where_held(side, item, k, held) for side in (rows.then, rows.orelse))
    return then if are_one(then, orelse) else Phi(rows.cond, then, orelse)


def are_one(a: Value, b: Value) -> bool:
    """Whether two values are the same choice among the same."""
    if type(a) is Phi and type(b) is Phi:
        return a.cond == b.cond and are_one(a.then, b.then) and are_one(a.orelse, b.orelse)
    return a is b


ANY_SEQ = Seq((), open_=True)
"""The items of something unknown."""
