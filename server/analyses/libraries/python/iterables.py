"""Python's builtin functions on iterables: `len`, `zip`, `map`, `sum`, `sorted`, `next`, …"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ...domain.containers import Seq
from ...domain.known import is_constant, is_number, key_of
from ...domain.paths import Raised
from ...domain.registry import model
from ...domain.values import Args, Generator, Instance, Items, Iterator_, ListV, Unknown, Value
from ...operators.cases import items_of
from ...python import attributes, comparisons, conditions, functions, operators, sequences
from ...python import constants as plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine


@model("len")
def len_(m: Machine, args: Args) -> Value:
    """`len(v)`."""
    return sequences.length(m, args.get(0, "obj"))


@model("range")
def range_(m: Machine, args: Args) -> Value:
    """`range(…)`; with an unknown bound, a sequence of unknown length."""
    from ...operators.calls_by_name import split

    return split(m, args, lambda known: span(known.pos))


def span(bounds: list[Value]) -> Value:
    """The range with these bounds. Raises Raised if Python refuses one of them."""
    if all(is_constant(v) for v in bounds):
        return plain.called(range, bounds, {})
    for v in bounds:
        if is_constant(v):
            plain.called(operator.index, [v], {})
    start, step = bounds[0] if len(bounds) > 1 else 0, bounds[2] if len(bounds) > 2 else 1
    if isinstance(start, int) and isinstance(step, int):
        made = sequences.sequence_value(Seq((), True), lambda i: start + i * step)
        stop = bounds[min(len(bounds) - 1, 1)]
        made.seq.until = stop if step == 1 and isinstance(stop, Unknown) else None
        return made
    return sequences.sequence_value(Seq((), True), lambda i: Unknown("an integer", number=True))


@model("enumerate")
def enumerate_(m: Machine, args: Args) -> Value:
    """`enumerate(v)`."""
    v, start = m.state.resolve(args.get(0, "iterable")), args.get(1, "start", 0)
    own = sequences.iter_method(m, v)
    v = own if own is not None else v
    first = start if isinstance(start, int) else 0
    if isinstance(v, Generator):
        inner = v

        def run(consume: Callable[[Value], Value]) -> Value:
            body, i = sequences.entered(m, inner), first

            def one(value: Value) -> Value:
                nonlocal i
                i += 1
                return consume((i - 1, value))

            return body(one) if body is not None else None

        return Generator(run)
    seq = sequences.sequence(m, v)
    return sequences.sequence_value(seq, lambda i: (first + i, seq.item(i)))


ITERATORS = (Iterator_, sequences.Lazy, Generator)


@model("zip")
def zip_(m: Machine, args: Args) -> Value:
    """`zip(a, b, …)`: a generator drives the others; an iterator that is passed several times is taken in turns."""
    values = [m.state.resolve(v) for v in args.pos]
    if len(values) > 1 and isinstance(values[0], ITERATORS) and all(v is values[0] for v in values):
        return _grouped(m, values[0], len(values))
    drivers = [i for i, v in enumerate(values) if isinstance(v, Generator)]
    if drivers:
        return _driven(m, values, drivers[0])
    seqs = [sequences.packed(m, sequences.sequence(m, v)) for v in values]
    closed = [len(s.items) for s in seqs if not s.open]
    if not seqs:
        return ()
    made = Seq((), True, None) if not closed else Seq(range(min(closed)))
    longest = max((len(s.items) for s in seqs), default=0)
    if not closed:
        made = Seq(range(longest), True)
    return sequences.sequence_value(made, lambda i: tuple(s.item(i) for s in seqs))


def _grouped(m: Machine, v: Value, n: int) -> Value:
    """The items of an iterator, `n` at a time."""
    seq = sequences.sequence(m, v)
    like = Seq(range(len(seq.items) // n), seq.open)
    return sequences.sequence_value(like, lambda i: tuple(seq.item(i * n + k) for k in range(n)))


def _driven(m: Machine, values: list[Value], driver: int) -> Generator:
    def run(consume: Callable[[Value], Value]) -> Value:
        body = sequences.entered(m, values[driver], may_stop=True)
        others = [v if isinstance(v, Generator) else iter_(m, Args([v])) for v in values]
        out = sequences.Stop(None)

        def one(value: Value) -> Value:
            row = []
            for i, other in enumerate(others):
                going, item = (True, value) if i == driver else advance(m, other)
                if not going:
                    raise out
                row.append(item)
            return consume(tuple(row))

        try:
            return body(one) if body is not None else None
        except sequences.Stop as stopped:
            if stopped is not out:
                raise
            return None

    return Generator(run)


@model("map")
def map_(m: Machine, args: Args) -> Value:
    """`map(f, a, …)`: run when it is consumed."""
    f, rest = args[0], args.pos[1:]
    if not rest:
        return Unknown("a map of what is not known")

    def run(consume: Callable[[Value], Value]) -> Value:
        rows = zip_(m, Args(list(rest))) if len(rest) > 1 else rest[0]
        single = len(rest) == 1
        return each_item(m, rows, lambda v: consume(m.call(f, Args([v] if single else list(v), site=m.here.site))))

    return Generator(run)


def each_item(m: Machine, v: Value, consume: Callable[[Value], Value]) -> Value:
    """Call `consume` with each item of an iterable, with those of a generator while it runs."""
    v = m.state.resolve(v)
    if isinstance(v, Generator):
        run = sequences.entered(m, v)
        return run(consume) if run is not None else None
    for item in sequences.sequence(m, v).known():
        consume(item)
    return None


@model("filter")
def filter_(m: Machine, args: Args) -> Value:
    """`filter(f, v)`: all items that may pass."""
    f, items = args[0], args[1]

    def run(consume: Callable[[Value], Value]) -> Value:
        def one(v: Value) -> Value:
            keep = conditions.truth(m, v if f is None else m.call(f, Args([v], site=m.here.site)))
            return consume(v) if keep is not False else None

        return each_item(m, items, one)

    return Generator(run)


@model("sum")
def sum_(m: Machine, args: Args) -> Value:
    """`sum(v, start)`: additions from the left."""
    seq = sequences.sequence(m, args.get(0, "iterable"))
    total = args.get(1, "start", 0)
    for v in seq.known():
        total = operators.binary(m, "+", total, v)
    if seq.open and is_constant(total):
        return Unknown("a sum", number=is_number(total) and is_number(seq.item(0)))
    return total


def extreme(m: Machine, args: Args, least: bool) -> Value:
    """`min` and `max` of known numbers; otherwise unknown."""
    values = list(args.pos)
    if len(values) == 1:
        seq = sequences.sequence(m, values[0])
        if seq.open:
            return Unknown("an extreme", number=is_number(seq.item(0)))
        values = seq.known()
    if any(isinstance(m.state.resolve(v), Tensor) for v in values):
        return m.state.resolve(values[0])
    ranked = is_ordered(m, tuple(values), tuple(values))
    if ranked is not None:
        return ranked[0 if least else -1]
    plain = [m.state.resolve(v) for v in values]
    return Unknown("an extreme", ("extreme", *(key_of(v) for v in plain)), number=all(map(is_number, plain)))


def seq_open(m: Machine, args: Args) -> bool:
    """Whether the argument of `min` or `max` may hold more items than are known."""
    return args.open or not args.pos or bool(sequences.sequence(m, args[0]).open)


def default_of(args: Args) -> Value:
    """The result of `min` or `max` without any items."""
    if "default" not in args.kw:
        raise Raised(None, "ValueError")
    return args.kw["default"]


def by_key(m: Machine, f: Callable[..., Value], values: list[Value], args: Args) -> Value:
    """The item of `values` with the lowest or the highest key."""
    if not values:
        return Unknown("an extreme") if seq_open(m, args) else default_of(args)
    key = m.state.resolve(args.kw["key"])
    ranks = [m.state.resolve(m.call(key, Args([v], site=m.here.site))) if key is not None else v for v in values]
    if not is_constant(tuple(ranks)):
        return Unknown("an extreme", number=all(map(is_number, values)))
    return values[plain.called(f, [range(len(values))], {"key": ranks.__getitem__})]


def _extreme(f: Callable[..., Value]) -> Callable[[Machine, Args], Value]:
    def run(m: Machine, args: Args) -> Value:
        def known(inner: Args) -> Value:
            values = list(inner.pos)
            if len(values) == 1:
                seq = sequences.sequence(m, values[0])
                values = [] if seq.open else seq.known()
            values = [m.state.resolve(v) for v in values]
            if "key" in inner.kw:
                return by_key(m, f, values, inner)
            if values and is_constant(tuple(values)):
                return plain.called(f, [values], {})
            if not values and not seq_open(m, inner):
                return default_of(inner)
            return extreme(m, inner, f is min)

        from ...operators.calls_by_name import split

        return split(m, args, known)

    return run


model("min")(_extreme(min))
model("max")(_extreme(max))


@model("sorted")
def sorted_(m: Machine, args: Args) -> Value:
    """`sorted(v)`: known if all items, or their keys, are constants."""
    seq = sequences.sequence(m, args[0])
    items, by = tuple(seq.known()), m.state.resolve(args.kw.get("key"))
    ranks = items if by is None else tuple(m.call(by, Args([v], site=m.here.site)) for v in items)
    if is_constant(ranks) and not seq.open:
        back = conditions.truth(m, args.kw.get("reverse", False))
        order = plain.called(sorted, [range(len(items))], {"key": ranks.__getitem__, "reverse": back is True})
        items = tuple(items[i] for i in order)
        made = ListV(items)
        made.open = not isinstance(back, bool)
        return made
    ranked = is_ordered(m, items, ranks)
    if ranked is not None and not seq.open:
        items = ranked[::-1] if conditions.truth(m, args.kw.get("reverse", False)) is True else ranked
    elif ranked is None:  # objects stay in their order, which is as likely as any other
        items = tuple(Unknown("an item") if is_constant(v) else v for v in items)
    made = ListV(items)
    made.open = seq.open
    return made


def is_ordered(m: Machine, items: tuple[Value, ...], ranks: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """The items sorted by the `<` of their ranks, inserted one by one; None if an answer is unknown."""
    if len(items) > 12 or not any(attributes.special(m, v, "__lt__") is not None for v in ranks):
        return None
    order: list[int] = []
    for i, rank in enumerate(ranks):
        place = 0
        while place < len(order):
            less = conditions.truth(m, comparisons.compare(m, "<", rank, ranks[order[place]]))
            if not isinstance(less, bool):
                return None
            if less:
                break
            place += 1
        order.insert(place, i)
    return tuple(items[i] for i in order)


@model("reversed")
def reversed_(m: Machine, args: Args) -> Value:
    """`reversed(v)`."""
    v = m.state.resolve(args[0])
    if isinstance(v, range):
        return v[::-1]
    own = attributes.special(m, v, "__reversed__")
    if own is not None:
        return m.call(own, Args())
    seq = sequences.sequence(m, v)
    if seq.open:
        return sequences.sequence_value(seq, lambda i: seq.item(i))
    return ListV(tuple(seq.known())[::-1])


def _quantified(name: str, settles: bool) -> None:
    def run(m: Machine, args: Args) -> Value:
        seq = sequences.sequence(m, args[0])
        answers = [conditions.truth(m, v) for v in seq.known()]
        if any(a is settles for a in answers):
            return settles
        if all(isinstance(a, bool) for a in answers) and not seq.open:
            return not settles
        open_ = [a for a in answers if not isinstance(a, bool)]
        return open_[0] if len(open_) == 1 and not seq.open else Unknown("a truth", (name, *map(key_of, answers)))

    model(name)(run)


_quantified("any", True)
_quantified("all", False)


@model("iter")
def iter_(m: Machine, args: Args) -> Value:
    """`iter(v)`."""
    v = m.state.resolve(args[0])
    if isinstance(v, (Generator, Iterator_, sequences.Lazy)) or len(args.pos) > 1:
        return v
    own = attributes.special(m, v, "__iter__")
    if own is not None:
        return m.call(own, Args())
    seq = sequences.sequence(m, v)
    if not seq.open and isinstance(seq.items, (tuple, list)):
        return Iterator_(tuple(seq.known()))
    return sequences.Lazy(seq)


@model("next", "anext")
def next_(m: Machine, args: Args) -> Value:
    """`next(it, default)`."""
    going, value = advance(m, m.state.resolve(args[0]))
    if going:
        return value
    if len(args.pos) > 1:
        return args[1]
    raise functions.stop(m, value)


def advance(m: Machine, v: Value) -> tuple[bool, Value]:
    """Take the next item of an iterator: True and the item, or False and a generator's return value."""
    if isinstance(v, Generator):
        return sequences.advance(m, v)
    if isinstance(v, sequences.Lazy):
        return v.advance(m)
    if isinstance(v, Iterator_):
        items = items_of(m, v)
        if items:
            m.state.put(v, Items.items, items[1:])
            return True, items[0]
        return (True, Unknown("the next item")) if m.state.is_open(v) else (False, None)
    own = attributes.special(m, v, "__next__")
    if own is None:
        return True, Unknown("the next item")
    try:
        with m.state.unwinding():
            return True, m.call(own, Args())
    except Raised as error:
        if error.name != "StopIteration":
            raise
        return False, error.value.attributes.get("value") if isinstance(error.value, Instance) else None
