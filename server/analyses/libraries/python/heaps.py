"""Heaps: arranged as `heapq` does where the order of their items is known.

Native, as Python's own code would follow both answers of each comparison that isn't known.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from ...domain.known import is_constant
from ...domain.registry import model
from ...domain.values import Args, Items, Lib, ListV, Unknown, Value
from ...operators.cases import items_of
from ...python import attributes, comparisons, conditions, sequences
from .lists import pop

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine

# -- heaps --------------------------------------------------------------------------------------------------


def rank(item: Value) -> Value:
    """What a heap compares: the item itself, or the constants that a tuple begins with."""
    if not isinstance(item, tuple):
        return item
    n = next((i for i, v in enumerate(item) if not is_constant(v)), len(item))
    return item[:n]


class Unordered(Exception):
    """It is unknown which of two items is the smaller one."""


class Ranked:
    """An item of a heap and what it is compared by: a constant, or an object that defines `<`."""

    def __init__(self, m: Machine, item: Value) -> None:
        self.m = m
        self.item = item
        self.rank = rank(item)

    def __lt__(self, other: Ranked) -> bool:
        if is_constant(self.rank) and is_constant(other.rank):
            return bool(self.rank < other.rank)
        less = conditions.truth(self.m, comparisons.compare(self.m, "<", self.rank, other.rank))
        if not isinstance(less, bool):
            raise Unordered
        return less


def arranged(m: Machine, heap: Value, arrange: Callable[[list[Ranked]], object], *further: Value) -> bool:
    """Arrange a heap's items as `heapq` does, if their order is known."""
    heap = m.state.resolve(heap)
    if not isinstance(heap, ListV) or m.state.is_open(heap):
        return False
    items = [Ranked(m, m.state.resolve(v)) for v in (*items_of(m, heap), *further)]
    if not all(is_constant(one.rank) or attributes.special(m, one.rank, "__lt__") is not None for one in items):
        return False
    try:
        arrange(items)
    except (TypeError, Unordered):
        return False
    m.state.put(heap, Items.items, tuple(one.item for one in items))
    return True


def of_heap(run: Callable[[Machine, Args], Value]) -> Callable[[Machine, Args], Value]:
    """A function of `heapq`, for each heap that its first argument may be; unknown for anything but a list."""

    def each(m: Machine, args: Args) -> Value:
        heap, item = args.get(0, "heap"), args.get(1, "item")
        return m.state.each(
            heap, lambda one: run(m, Args([one, item])) if isinstance(one, ListV) else Unknown("an item")
        )

    return each


@model("heapq.heapify")
@of_heap
def heapify(m: Machine, args: Args) -> Value:
    """`heapify(items)`: in order, the smallest first."""
    arranged(m, args[0], heapq.heapify)
    return None


def least(m: Machine, heap: ListV) -> int:
    """The position of a heap's smallest item; the first one if that is unknown."""
    ranks = [rank(v) for v in items_of(m, heap)]
    if not is_constant(tuple(ranks)) or not ranks:
        return 0
    try:
        return ranks.index(min(ranks))
    except TypeError:
        return 0


@model("heapq.heappush")
@of_heap
def heappush(m: Machine, args: Args) -> Value:
    """`heappush(heap, item)`."""
    if not arranged(m, args[0], lambda items: heapq.heappush(items, items.pop()), args[1]):
        sequences.append(m, args[0], args[1])
    return None


@model("heapq.heappop")
@of_heap
def heappop(m: Machine, args: Args) -> Value:
    """`heappop(heap)`: the smallest item."""
    taken: list[Ranked] = []
    if arranged(m, args[0], lambda items: taken.append(heapq.heappop(items)) if items else None) and taken:
        return taken[0].item
    heap = args[0]
    return pop(m, Args([heap, least(m, heap)]))


@model("heapq.heappushpop")
@of_heap
def heappushpop(m: Machine, args: Args) -> Value:
    """`heappushpop(heap, item)`."""
    heappush(m, args)
    return heappop(m, args)


@model("heapq.heapreplace")
@of_heap
def heapreplace(m: Machine, args: Args) -> Value:
    """`heapreplace(heap, item)`."""
    item = heappop(m, args)
    heappush(m, args)
    return item


def _chosen(name: str, largest: bool) -> None:
    """Register `nsmallest` or `nlargest`: the first items in order; all of them if the number is unknown."""

    def run(m: Machine, args: Args) -> Value:
        order = {"reverse": largest, "key": args.get(2, "key")}
        items = m.call(Lib("sorted"), Args([args.get(1, "iterable")], order, site=args.site))
        n = m.state.resolve(args.get(0, "n"))
        return ListV(items_of(m, items)[: max(n, 0)]) if isinstance(n, int) else items

    model(f"heapq.{name}")(run)


_chosen("nsmallest", largest=False)
_chosen("nlargest", largest=True)
