"""Things that can be iterated over: what they give, item by item, and containers that grow and are asked.

A `Seq` has the items that are known and says whether there are more: `range(3)` is three and closed, `loader` is none
and open, and what it gives further is made when it is asked for. After `if flag: items.append(t)` a list is a choice of
two rows; a loop over it takes the longer one, and the last turn happens only under `flag`.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from ..autograd.tensors import Tensor
from ..domain import budget
from ..domain.containers import ANY_SEQ, NO_ITEM, Made, Seq
from ..domain.known import is_constant, is_large, key_of
from ..domain.mixed import IntMember
from ..domain.paths import Raised
from ..domain.values import (
    ABSENT,
    Args,
    ClassV,
    Container,
    DictV,
    Generator,
    Instance,
    Items,
    Iterator_,
    ListV,
    Object,
    Phi,
    Unbuilt,
    Unknown,
    UnknownKey,
    Value,
    contents,
    leaves,
)
from ..operators import arrays
from ..operators.arrays import NDArray
from ..operators.cases import items_of
from . import attributes, constants, enumerations
from .coroutines import Coroutine

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from ..domain.paths import Guards
    from ..domain.values import Slot
    from .machine import Machine


class Lazy(Object):
    """An iterator whose items are made when they are asked for (`zip`); `at` is its position."""

    seq: Seq
    at: Slot[int]

    __slots__ = tuple(__annotations__)

    def __init__(self, seq: Seq) -> None:
        super().__init__()
        self.seq = seq
        self.at = 0

    def advance(self, m: Machine) -> tuple[bool, Value]:
        """Take the next item: True and the item, or False at the end."""
        at = m.state.pick(self.at)
        if not isinstance(at, int):  # a loop that wasn't followed to its end has taken some
            return True, Unknown("the next item")
        if at >= len(self.seq.items) and not self.seq.open:
            return False, None
        m.state.put(self, Lazy.at, at + 1)
        return True, self.seq.item(at)

    def rest(self, m: Machine) -> Seq:
        """The remaining items; the iterator is then used up, unless it may go on for ever."""
        at, seq = m.state.pick(self.at), self.seq
        if not isinstance(at, int):
            return Seq((), open_=True)
        left = max(0, len(seq.items) - at)
        exhaust(m, self)
        return Seq(Made(left, lambda i: seq.item(at + i)), seq.open, lambda i: seq.item(at + i)) if at else seq


def sequence_value(like: Seq, make: Callable[[int], Value]) -> Lazy:
    """An iterator as long as `like`, whose i-th item is `make(i)`."""
    return Lazy(Seq(Made(len(like.items), make), like.open, make))


def inside(m: Machine, v: Value, guards: Guards = (), depth: int = 0) -> Iterator[tuple[Guards, Value]]:
    """A value, or the items of a container, each with the answers to open conditions that it depends on."""
    for more, one in m.state.alternatives(v, guards):
        if isinstance(one, DictV):
            items: Iterable[Value] = [item for item in one.items.values() if item is not ABSENT]
        elif isinstance(one, (tuple, ListV)):
            items = one if isinstance(one, tuple) else m.state.tuple_of(one.items)
        else:
            yield more, one
            continue
        for item in items if depth < budget.LIMITS.nested else ():
            yield from inside(m, item, more, depth + 1)


def sequence(m: Machine, v: Value, want: int | None = None) -> Seq:
    """The items of a value, all at once. `want`: how many names it is unpacked into."""
    from ..operators import subscripts

    v = m.state.resolve(v)
    if isinstance(v, Phi):
        return one_of(m, m.state.each(v, lambda one: sequence(m, one, want)))
    if attributes.special(m, v, "__iter__") is None:
        v = contents(v)
    if isinstance(v, range):
        return Seq(v[: sys.maxsize])  # Python's own `len` can tell no more
    if isinstance(v, (tuple, str)):
        return Seq(v)
    if isinstance(v, (Lazy, ListV, Iterator_, DictV)):
        return held(m, v)
    if isinstance(v, Tensor):
        if v.shape == ():
            m.refused("iteration over a tensor without dimensions")
        return subscripts.rows(m, v, want)
    if isinstance(v, Generator):
        return collect(m, v)
    if isinstance(v, Instance):
        return instance_sequence(m, v)
    if isinstance(v, ClassV):
        own = iter_method(m, v)
        return Seq(enumerations.members(v)) if own is None else sequence(m, own)
    return unknown_items(m, v)


def held(m: Machine, v: Lazy | ListV | Iterator_ | DictV) -> Seq:
    """The items that a container holds, or that an iterator has left, which are taken from it."""
    if isinstance(v, Lazy):
        return v.rest(m)
    if isinstance(v, DictV):
        return Seq(key_values(v), m.state.is_open(v))
    seq = Seq(items_of(m, v), m.state.is_open(v), v.more if isinstance(v, ListV) else None)
    if isinstance(v, Iterator_):
        exhaust(m, v)
    return seq


def exhaust(m: Machine, v: Lazy | Iterator_) -> None:
    """Take all items of an iterator, unless it goes on for ever."""
    if isinstance(v, Iterator_):
        m.state.put(v, Items.items, ())
    elif not v.seq.open:
        m.state.put(v, Lazy.at, len(v.seq.items))


def taken(m: Machine, v: Lazy | Iterator_) -> Seq:
    """The items of an iterator, each of which a loop takes at its turn: those that it leaves are there behind it."""
    if isinstance(v, Lazy):
        return taken_lazily(m, v)

    def take(_: int) -> Value:
        left = items_of(m, v)
        m.state.put(v, Items.items, left[1:])
        return left[0] if left else NO_ITEM

    return Seq(Made(len(items_of(m, v)), take), m.state.is_open(v))


def taken_lazily(m: Machine, v: Lazy) -> Seq:
    """The same for an iterator that makes its items."""
    first = m.state.pick(v.at)
    if not isinstance(first, int):
        return v.rest(m)

    def take(i: int) -> Value:
        at = m.state.pick(v.at)
        at = at if isinstance(at, int) else first + i  # this turn stands for all later ones
        m.state.put(v, Lazy.at, at + 1)
        return v.seq.item(at) if v.seq.open or at < len(v.seq.items) else NO_ITEM

    return Seq(Made(max(0, len(v.seq.items) - first), take), v.seq.open, take)


def unknown_items(m: Machine, v: Value) -> Seq:
    """The items of a value that holds none which are known: rows of an array, data, numbers, …"""
    if isinstance(v, NDArray):
        return Seq((), True, lambda i: arrays.view(v))
    if isinstance(v, (int, float, type(None))):
        m.refused("iteration over what is no collection")
    if not isinstance(v, Unknown):
        return Seq((), True, lambda i: Unknown("an item", ("item", key_of(v), i)))

    def item(i: int) -> Unknown:
        key = ("item", key_of(v), i)
        return Unknown("an item", key, data=v.data, number=v.number, history=v.history, within=v.came_in)

    return Seq((), True, item)


def one_of(m: Machine, v: Value) -> Seq:
    """The items of a choice of sequences: each is a choice of their items, and missing where a sequence is shorter."""
    if isinstance(v, Seq):
        return v
    ways = [way if isinstance(way, Seq) else ANY_SEQ for way in leaves(v)]

    def item(i: int) -> Value:
        return m.state.each_way(v, lambda way: (way if isinstance(way, Seq) else ANY_SEQ).item_or_none(i))

    return Seq(Made(max(len(way.items) for way in ways), item), any(way.open for way in ways), item)


def one_range(m: Machine, v: Phi) -> Seq | None:
    """The items of a choice of ranges that begin alike: those of the longest, in some places only where it is chosen.

    None where `v` is anything else.
    """
    ways = leaves(v)
    ranges = [way for way in ways if isinstance(way, range) and len(way) <= budget.LIMITS.turns]
    longest = max(ranges, key=len, default=range(0))
    if len(ranges) < len(ways) or any(longest[: len(way)] != way for way in ranges):
        return None
    always = min(map(len, ranges))
    ends = [
        m.state.each_way(v, lambda way, k=k: longest[k] if isinstance(way, range) and k < len(way) else NO_ITEM)  # type: ignore[misc]
        for k in range(always, len(longest))
    ]
    return Seq((*longest[:always], *ends))


def missing(m: Machine, item: Value, depth: int = 2) -> Value:
    """What decides whether an item, or each of those that it combines, exists: `NO_ITEM`, or a Phi; None if it does."""
    item = m.state.resolve(item)
    if type(item) is tuple and depth:
        return next((one for part in item if (one := missing(m, part, depth - 1)) is not None), None)
    return item if any(one is NO_ITEM for one in leaves(item)) else None


def packed(m: Machine, seq: Seq) -> Seq:
    """A sequence without missing items, so that each one is in its actual place.

    If many branches decide on that, the places stay as they are.
    """
    gaps = {one.cond.key for item in seq.items[: budget.LIMITS.items] if type(one := missing(m, item)) is Phi}
    if not gaps or len(gaps) > budget.LIMITS.gaps:
        return seq
    return one_of(m, m.state.each_way(rows(m, tuple(seq.items), ()), lambda row: Seq(row, seq.open, seq.more)))


def rows(m: Machine, items: tuple[Value, ...], row: tuple[Value, ...]) -> Value:
    """The existing items, after those of a row: a tuple, or one for each answer to a branch that decides on an item."""
    gap = next((k for k, item in enumerate(items) if missing(m, item) is not None), len(items))
    row = (*row, *map(m.state.resolve, items[:gap]))
    if gap == len(items):
        return row
    decides = missing(m, items[gap])
    if type(decides) is not Phi:
        return rows(m, items[gap + 1 :], row)
    return Phi(decides.cond, *m.state.asked(decides, lambda _: rows(m, items[gap:], row)))


def instance_sequence(m: Machine, v: Instance) -> Seq:
    """Iterate over an object: by its `__iter__`, by `__getitem__` with `__len__`, or as its library's model does."""
    from ..domain import registry

    f = v.cls.lookup("__iter__")
    if f is not ABSENT:
        return sequence(m, iter_method(m, v))
    give = registry.iterator(v.cls)
    if give is not None:
        with suppress(Unbuilt):
            return give(m, v)
    f = v.cls.lookup("__getitem__")
    if f is not ABSENT:
        n = length(m, v)
        get = attributes.bound(m, f, v)
        if (isinstance(n, int) and n <= budget.LIMITS.turns) or v.cls.lookup("__len__") is ABSENT:
            return Seq(*up_to_the_end(m, get, n if isinstance(n, int) else None), lambda i: m.call(get, Args([i])))
        return Seq((), True, lambda i: m.call(get, Args([i])))
    return Seq((), True, lambda i: Unknown("an item", ("item", v.uid, i)))


def up_to_the_end(m: Machine, get: Value, n: int | None) -> tuple[list[Value], bool]:
    """The `n` items that `get(0)`, `get(1)`, … return before IndexError, and whether there may be more of them."""
    found: list[Value] = []
    try:
        with m.state.unwinding():
            found.extend(m.call(get, Args([i])) for i in range(budget.LIMITS.turns if n is None else n))
    except Raised as error:
        if error.name != "IndexError":
            raise
        return found, False
    return found, n is None


def keys(v: DictV) -> list[Hashable]:
    """The keys that a dict holds."""
    return [k for k, value in v.items.items() if value is not ABSENT]


def key_values(v: DictV) -> tuple[Value, ...]:
    """The keys as the program sees them."""
    return tuple(k.value if isinstance(k, UnknownKey) else k for k in keys(v))


class Stop(Exception):
    """Leaves a generator's body early, with the outcome of the loop that consumed it."""

    def __init__(self, outcome: Value) -> None:
        super().__init__()
        self.outcome = outcome


def collect(m: Machine, g: Generator, limit: int = budget.LIMITS.turns, sent: Value = None) -> Seq:
    """Run a generator and keep what it yields, up to a number of items; `sent` is the value of its `yield`s."""
    found: list[Value] = []
    row = ListV()  # it is open once a loop of the generator's was cut short
    outer = len(m.state.sides)

    def consume(v: Value) -> Value:
        found.append(m.state.where(v, m.state.sides[outer:], NO_ITEM))
        m.state.put(row, Items.items, tuple(found))
        if len(found) >= limit:
            raise Stop(None)
        return sent

    run = entered(m, g)
    if run is None:
        return Seq((), g.left)
    open_ = True
    try:
        run(consume)
        open_ = m.state.is_open(row)
    except Stop:
        pass
    return Seq(found, open_, (lambda i: found[-1]) if found and open_ else None)


def entered(m: Machine, g: Generator, may_stop: bool = False) -> Callable[[Callable[[Value], Value]], Value] | None:
    """What runs a generator from its position to its end; None if it has run.

    `may_stop`: the consumer may stop before the end. The program can go on later with one that it has a name for.
    """
    if g.coroutine is None and may_stop and g.kept and not g.used and len(m.coroutines) < budget.LIMITS.generators:
        m.state.note(g, "used", True)
        m.state.note(g, "coroutine", Coroutine(m, g.run))
    if g.coroutine is not None:
        return partial(advanced, m, g)
    if g.used:
        return None
    m.state.note(g, "used", True)
    return g.run


def advanced(m: Machine, g: Generator, consume: Callable[[Value], Value]) -> Value:
    """Advance a generator to its end; gives what it returns."""
    going, v = advance(m, g)
    while going:
        going, v = advance(m, g, consume(v))
    return v


def advance(m: Machine, g: Generator, sent: Value = None, error: BaseException | None = None) -> tuple[bool, Value]:
    """`g.send(sent)` or `g.throw(error)`: True and what is yielded, or False and what the generator returns."""
    if g.coroutine is None:
        if g.left or (not g.used and len(m.coroutines) >= budget.LIMITS.generators):
            return True, Unknown("the next item")
        if g.used:
            return False, None
        m.state.note(g, "used", True)
        m.state.note(g, "coroutine", Coroutine(m, g.run))
    assert g.coroutine is not None
    return g.coroutine.resume(sent, error)


def length(m: Machine, v: Value) -> Value:
    """`len(v)`."""
    v = m.state.resolve(v)
    if isinstance(v, Phi):
        return m.state.each(v, lambda one: length(m, one))
    if attributes.special(m, v, "__len__") is None:
        v = contents(v)
    if isinstance(v, tuple):
        return size(v)
    if isinstance(v, (range, str, bytes)):
        return constants.called(len, [v], {})
    if isinstance(v, (ListV, Iterator_)):
        if m.state.is_open(v):
            return Unknown("a length", ("len", v.uid, len(items_of(m, v))))
        return m.state.each(v.items, size)
    if isinstance(v, DictV):
        return Unknown("a length", ("len", v.uid), number=True) if m.state.is_open(v) else len(keys(v))
    if isinstance(v, Tensor):
        shape = v.shape
        known = shape[0] if shape else None
        return known if known is not None else Unknown("a size", ("size", v.uid, 0), number=True)
    if isinstance(v, ClassV) and enumerations.is_enum(v):
        return len(enumerations.members(v))
    if isinstance(v, Instance):
        from ..domain import registry

        f = v.cls.lookup("__len__")
        if f is not ABSENT:
            return m.call(attributes.bound(m, f, v), Args())
        n = registry.length(m, v)
        if n is not None:
            return n
    return Unknown("a length", ("len", key_of(v)), number=True)


def size(items: Value) -> Value:
    """The number of items, if it is known."""
    if isinstance(items, tuple) and not any(type(item) is Phi and NO_ITEM in leaves(item) for item in items):
        return len(items)
    return Unknown("a length", number=True)


def contains(m: Machine, v: Value, item: Value) -> Value:
    """`item in v`."""
    v, item = m.state.resolve(v), m.state.resolve(item)
    if isinstance(v, Tensor):  # who asks for an exact number has identifiers there
        m.grad.expect_none(v)
    if attributes.special(m, v, "__contains__") is None:
        v = contents(v)
    if isinstance(v, ClassV) and enumerations.is_enum(v):
        v = enumerations.members(v)
    if isinstance(v, DictV):
        return dict_contains(m, v, item)
    known: Value = ABSENT
    if isinstance(v, (tuple, ListV)):
        known = row_contains(m, v, item)
    elif isinstance(v, Instance):
        known = object_contains(m, v, item)
    elif isinstance(v, IntMember) and isinstance(item, int):
        known = item & v == item
    elif (isinstance(v, str) and isinstance(item, str)) or (isinstance(v, range) and isinstance(item, int)):
        known = item in v
    return Unknown("membership", ("in", key_of(item), key_of(v))) if known is ABSENT else known


def dict_contains(m: Machine, v: DictV, item: Value) -> Value:
    """`item in v`, a dict or a set."""
    item = key_like(m, v, item)
    if hashable(item):
        known = m.state.resolve(v.items.get(item, ABSENT))
        if (type(known) is not Phi and known is not ABSENT) or item in v.beside:
            return True
        if not m.state.is_open(v) and known is ABSENT:
            return False
    if not keys(v) and not m.state.is_open(v):
        return False
    return Unknown("membership", ("in", key_of(item), v.uid, len(v.items)))


def row_contains(m: Machine, v: tuple[Value, ...] | ListV, item: Value) -> Value:
    """`item in v`, a tuple or a list; ABSENT if that is unknown."""
    items = v if isinstance(v, tuple) else items_of(m, v)
    closed = isinstance(v, tuple) or not m.state.is_open(v)
    if any(i is item for i in items):
        return True
    if closed and is_constant(item) and all(is_constant(i) for i in items):
        return any((type(i) is type(item) and i == item) or i == item for i in items)
    if closed and all(not isinstance(i, (Unknown, Phi)) for i in (*items, item)):
        return equals_one(m, items, item)
    return ABSENT


def object_contains(m: Machine, v: Instance, item: Value) -> Value:
    """`item in v`, by the `__contains__` of its class, or whether a module has an attribute; ABSENT if unknown."""
    own = v.cls.lookup("__contains__")
    if own is not ABSENT:
        return m.call(attributes.bound(m, own, v), Args([item]))
    if isinstance(item, str) and v.cls.derives("torch.nn.Module"):
        return item in v.attributes
    return ABSENT


def equals_one(m: Machine, items: Sequence[Value], item: Value) -> Value:
    """Whether one of the items, all of them known, equals another one; tensors and arrays are compared by identity."""
    from .comparisons import compare
    from .conditions import both, negation, truth

    missing: Value = True
    for one in items:
        if not isinstance(one, (Tensor, NDArray)) and not isinstance(item, (Tensor, NDArray)):
            missing = both(m, missing, negation(m, truth(m, compare(m, "==", one, item))))
    return negation(m, missing)


def key_like(m: Machine, d: DictV, key: Value) -> Value:
    """The key of a dict that equals `key` (by the program's own `__eq__`, as a dataclass or a frozenset), or `key`."""
    if not isinstance(key, (Instance, DictV)) or key in d.items:
        return key
    from .classes import has_equality
    from .comparisons import compare
    from .conditions import truth

    cls = key.cls if isinstance(key, Instance) else None
    for one in tuple(d.items) if cls is None or has_equality(cls) else ():  # `__eq__` may change the dict
        alike = isinstance(one, type(key)) and getattr(one, "cls", None) is cls
        if alike and truth(m, compare(m, "==", one, key)) is True:
            return one
    return key


# -- changing containers ----------------------------------------------------------------------------


def hashable(key: Value) -> bool:
    """Whether a value can be a known key: a constant, or an object by its identity."""
    if isinstance(key, tuple):
        return not is_large(key) and all(map(hashable, key))
    return not isinstance(key, (Unknown, Phi))


def add(m: Machine, d: DictV, key: Value, value: Value) -> None:
    """`d[key] = value`; an unknown key opens the dict."""
    key = key_like(m, d, m.state.resolve(key))
    if isinstance(key, ListV) and key.kind != "tuple":
        raise Raised(None, "TypeError")
    if hashable(key):
        m.state.set(d.items, key, value)
    else:
        m.state.set(d.items, UnknownKey(key_of(key), key), value)
        m.state.put(d, Container.open, True)


def append(m: Machine, v: ListV, value: Value) -> None:
    """Append to a list, even one that depends on branches; a full deque drops its first item."""

    def longer(items: Value) -> Value:
        if not isinstance(items, tuple):
            return items
        if v.maxlen is not None and len(items) >= v.maxlen:
            return (*items, value)[-v.maxlen :]
        if len(items) >= budget.LIMITS.items:
            m.state.put(v, Container.open, True)
            return items
        return (*items, value)

    m.state.put(v, Items.items, m.state.each_way(v.items, longer))


def extend(m: Machine, v: ListV, other: Value) -> None:
    """Append all items of an iterable."""
    seq = sequence(m, other)
    for item in seq.known():
        append(m, v, item)
    if seq.open:
        m.state.put(v, Container.open, True)


def update(m: Machine, d: DictV, other: Value) -> None:
    """`d.update(other)` with a mapping or pairs."""
    other = contents(m.state.resolve(other))
    if isinstance(other, DictV):
        for k in keys(other):
            m.state.set(d.items, k, other.items[k])
        if m.state.is_open(other):
            m.state.put(d, Container.open, True)
    elif isinstance(other, Instance) and other.cls.derives("torch.nn.Module"):
        for k, v in other.attributes.items():
            m.state.set(d.items, k, v)
    elif isinstance(other, (ListV, tuple, Generator, Iterator_, Lazy)):
        pairs = sequence(m, other)
        for pair in pairs.known():
            two = sequence(m, pair, 2)
            add(m, d, two.item(0), two.item(1))
        if pairs.open:
            m.state.put(d, Container.open, True)
    else:
        m.state.put(d, Container.open, True)


def unpack_mapping(m: Machine, v: Value, into: dict[str, Value]) -> bool:
    """`**v` in a call: put its items into keyword arguments; gives whether there may be more."""
    v = contents(m.state.resolve(v))
    if not isinstance(v, DictV):
        return True
    for k in keys(v):
        if isinstance(k, str):
            into[k] = m.state.resolve(v.items[k])
    return m.state.is_open(v)


def iter_method(m: Machine, v: Value) -> Value:
    """The result of a user-defined `__iter__` (or `__aiter__`), or of a library that calls one; None for none."""
    from ..domain import registry

    own = attributes.special(m, v, "__iter__") or attributes.special(m, v, "__aiter__")
    if own is None:
        return registry.stream(m, v) if isinstance(v, Instance) else None
    got = m.state.resolve(m.call(own, Args()))
    step = attributes.special(m, got, "__next__") or attributes.special(m, got, "__anext__")
    return got if step is None else stepped(m, step)


def stepped(m: Machine, step: Value) -> Generator:
    """The items of an iterator of the program, whose `__next__` is `step`."""

    def run(consume: Callable[[Value], Value]) -> Value:
        for _ in range(budget.LIMITS.turns + 1):
            try:
                with m.state.unwinding():
                    v = m.call(step, Args())
            except Raised as error:
                if error.name not in ("StopIteration", "StopAsyncIteration"):
                    raise
                return None
            consume(v)
        return None

    return Generator(run)
