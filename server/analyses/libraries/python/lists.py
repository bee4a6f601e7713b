"""Methods of lists, deques and tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain import budget
from ...domain.known import is_constant, is_large
from ...domain.paths import Raised
from ...domain.registry import method_of
from ...domain.values import Args, Container, DictV, Items, ListV, Unknown, Value
from ...operators.cases import items_of
from ...python import comparisons, conditions, constants, operators, sequences
from ...python.containers import of_row
from .builtins import unknown_of
from .iterables import each_item, sorted_

if TYPE_CHECKING:
    from ...python.machine import Machine

NOWHERE = -1
"""the position of an item that isn't in the list"""


@method_of("list", "append")
@method_of("collections.deque", "append")
def append(m: Machine, args: Args) -> Value:
    """`v.append(item)`."""
    sequences.append(m, args[0], args.get(1, "item"))
    return None


@method_of("collections.deque", "appendleft")
def appendleft(m: Machine, args: Args) -> Value:
    """`v.appendleft(item)`."""
    v = args[0]
    items = (args.get(1, "item"), *items_of(m, v))
    m.state.put(v, Items.items, items[: v.maxlen] if v.maxlen is not None else items)
    return None


@method_of("list", "extend")
@method_of("collections.deque", "extend")
def extend(m: Machine, args: Args) -> Value:
    """`v.extend(items)`."""
    each_item(m, args[1], lambda v: sequences.append(m, args[0], v))
    return None


@method_of("list", "insert")
def insert(m: Machine, args: Args) -> Value:
    """`v.insert(i, item)`."""
    v, i = args[0], args[1]
    items = list(items_of(m, v))
    constants.called(items.insert, [i if isinstance(i, int) else len(items), args[2]], {})
    m.state.put(v, Items.items, tuple(items))
    return None


@method_of("list", "pop")
@method_of("collections.deque", "pop")
def pop(m: Machine, args: Args) -> Value:
    """`v.pop(i)`."""
    v, i = args[0], m.state.resolve(args.get(1, "index", -1))
    if not isinstance(i, int):
        return Unknown("an item")

    def left(row: Value) -> Value:
        if not isinstance(row, tuple) or not -len(row) <= i < len(row):
            return row
        at = range(len(row))[i]
        return row[:at] + row[at + 1 :]

    item = m.state.each_way(v.items, lambda row: of_row(row, i))
    m.state.put(v, Items.items, m.state.each_way(v.items, left))
    return m.state.resolve(item)


@method_of("collections.deque", "popleft")
def popleft(m: Machine, args: Args) -> Value:
    """`v.popleft()`."""
    return pop(m, Args([args[0], 0]))


@method_of("list", "clear")
@method_of("collections.deque", "clear")
def clear(m: Machine, args: Args) -> Value:
    """`v.clear()`."""
    m.state.put(args[0], Items.items, ())
    m.state.put(args[0], Container.open, False)
    return None


@method_of("list", "copy")
@method_of("collections.deque", "copy")
def copy(m: Machine, args: Args) -> Value:
    """`v.copy()`: another list of the same items."""
    v = args[0]
    made = ListV(items_of(m, v), v.kind)
    made.open = m.state.is_open(v)
    made.maxlen = v.maxlen
    return made


@method_of("list", "reverse")
def reverse(m: Machine, args: Args) -> Value:
    """`v.reverse()`."""
    m.state.put(args[0], Items.items, items_of(m, args[0])[::-1])
    return None


@method_of("list", "sort")
def sort(m: Machine, args: Args) -> Value:
    """`v.sort()`."""
    made = sorted_(m, Args([args[0]], args.kw))
    m.state.put(args[0], Items.items, made.items)
    return None


@method_of("list", "remove")
@method_of("collections.deque", "remove")
def remove(m: Machine, args: Args) -> Value:
    """`v.remove(item)`."""
    v = args[0]
    at = position(m, v, args[1])
    if at is not None:
        items = items_of(m, v)
        m.state.put(v, Items.items, items[:at] + items[at + 1 :])
    return None


@method_of("list", "index")
@method_of("tuple", "index")
@method_of("collections.deque", "index")
def index(m: Machine, args: Args) -> Value:
    """`v.index(item)`."""
    at = position(m, args[0], args[1]) if len(args.pos) == 2 else None
    return at if at is not None else unknown_of("index", args)


def position(m: Machine, v: Value, item: Value) -> int | None:
    """The first position of an item; None if that is unknown. Raises Raised if the item is certainly not there."""
    items = v if isinstance(v, tuple) else items_of(m, v)
    at = constant_position(items, item) if is_constant(item) and is_constant(items) else compared(m, items, item)
    if at == NOWHERE:
        if items and (isinstance(v, tuple) or m.state.is_open(v) is False):  # an empty list may have been filled unseen
            raise Raised(None, "ValueError")
        return None
    return at


def constant_position(items: tuple[Value, ...], item: Value) -> int:
    """The first position of an item among constants; NOWHERE if it isn't there."""
    return items.index(item) if item in items else NOWHERE


def compared(m: Machine, items: tuple[Value, ...], item: Value) -> int | None:
    """The first position of an item; None if that is unknown or takes too long, NOWHERE if it isn't there."""
    most = budget.LIMITS.parts
    parts, own = 0, 0
    if isinstance(item, tuple):
        own = most // budget.LIMITS.compared if is_large(item) else len(item)
    for i, one in enumerate(items):
        parts += own + (len(one) if isinstance(one, tuple) else 0)
        same = one is item or (parts <= most and conditions.truth(m, comparisons.compare(m, "==", one, item)))
        if same is True:
            return i
        if same is not False or parts > most:
            return None
    return NOWHERE


@method_of("tuple", "numel")
def numel(m: Machine, args: Args) -> Value:
    """`shape.numel()`."""
    product: Value = 1
    seq = sequences.sequence(m, args[0])
    for n in seq.known():
        product = operators.binary(m, "*", product, n)
    return Unknown("a size", number=True) if seq.open else product


@method_of("tuple", "_replace")
def replace_(m: Machine, args: Args) -> Value:
    """`namedtuple._replace(**kw)`."""
    from ...domain.mixed import NamedTuple

    v = args[0]
    made = NamedTuple(args.kw.get(n, x) for n, x in zip(v.named, v, strict=True))
    made.named, made.cls = v.named, v.cls
    return made


@method_of("tuple", "_asdict")
def asdict(m: Machine, args: Args) -> Value:
    """`namedtuple._asdict()`."""
    v = args[0]
    return DictV(dict(zip(v.named, v, strict=True)))
