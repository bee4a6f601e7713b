"""Models of Python's `itertools`, which are as lazy as the originals."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ...domain import budget
from ...domain.containers import Seq
from ...domain.registry import model
from ...domain.values import Args, ClassV, Generator, Iterator_, ListV, Unknown, Value
from ...python import comparisons, conditions, operators, sequences
from .iterables import advance, each_item, iter_, zip_

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine


@model("itertools.chain")
def chain(m: Machine, args: Args) -> Value:
    """`chain(a, b, …)`; if the items are known already, all of them."""
    given = [m.state.resolve(v) for v in args.pos]
    if all(isinstance(v, tuple) or (isinstance(v, (ListV, Iterator_)) and not m.state.is_open(v)) for v in given):
        return Iterator_(tuple(item for v in given for item in sequences.sequence(m, v).items))

    def run(consume: Callable[[Value], Value]) -> Value:
        for v in args.pos:
            each_item(m, v, consume)
        return None

    return Generator(run)


@model("itertools.chain.from_iterable")
def from_iterable(m: Machine, args: Args) -> Value:
    """`chain.from_iterable(v)`."""
    rows = Args([v for v in args.pos if not isinstance(v, ClassV)])
    return chain(m, Args(sequences.sequence(m, rows[0]).known()))


@model("itertools.islice")
def islice(m: Machine, args: Args) -> Value:
    """`islice(v, n)`: takes no more than `n` items from an iterator."""
    v, bounds = m.state.resolve(args[0]), [m.state.resolve(b) for b in (args[1], *args.pos[2:])]
    known = slice(*bounds) if all(isinstance(b, (int, type(None))) for b in bounds) else None
    if known is None or known.stop is None:
        known = slice(known.start if known else 0, None, known.step if known else 1)
        seq = sequences.sequence(m, v)
        return sequences.sequence_value(
            Seq(seq.known()[known], seq.open),
            lambda i: seq.item((known.start or 0) + i * (known.step or 1)),
        )
    it = iter_(m, Args([v]))
    return Generator(lambda consume: taken(m, it, known, consume))


def taken(m: Machine, it: Value, part: slice, consume: Callable[[Value], Value]) -> Value:
    """Yield the items in a part of an iterator, which stays where that ends."""
    wanted = range(part.start or 0, part.stop, part.step or 1)
    for i in range(min(part.stop, budget.LIMITS.turns)):
        going, v = advance(m, it)
        if not going:
            break
        if i in wanted:
            consume(v)
    return None


@model("itertools.accumulate")
def accumulate(m: Machine, args: Args) -> Value:
    """`accumulate(v, f, initial=…)`: running totals, each yielded before the next is computed."""
    f, initial = m.state.resolve(args.get(1, "func")), args.kw.get("initial")

    def run(consume: Callable[[Value], Value]) -> Value:
        total = initial
        if initial is not None:
            consume(total)

        def one(v: Value) -> Value:
            nonlocal total
            if total is None:
                total = v
            elif f is None:
                total = operators.binary(m, "+", total, v)
            else:
                total = m.call(f, Args([total, v], site=m.here.site))
            return consume(total)

        return each_item(m, args.get(0, "iterable"), one)

    return Generator(run)


@model("itertools.starmap")
def starmap(m: Machine, args: Args) -> Value:
    """`starmap(f, rows)`."""
    f, rows = args[0], args[1]

    def one(v: Value) -> Value:
        return m.call(f, Args(sequences.sequence(m, v).known(), site=m.here.site))

    return Generator(lambda consume: each_item(m, rows, lambda v: consume(one(v))))


@model("itertools.takewhile")
def takewhile(m: Machine, args: Args) -> Value:
    """`takewhile(f, v)`: ends at the first item that is known to fail the test."""
    f, items = args[0], args[1]
    out = sequences.Stop(None)

    def run(consume: Callable[[Value], Value]) -> Value:
        def one(v: Value) -> Value:
            if passes(m, f, v) is False:
                raise out
            return consume(v)

        try:
            return each_item(m, items, one)
        except sequences.Stop as stopped:
            if stopped is not out:
                raise
            return None

    return Generator(run)


def passes(m: Machine, f: Value, v: Value) -> Value:
    """Whether an item passes a test, which may be None for its own truth."""
    return conditions.truth(m, v if m.state.resolve(f) is None else m.call(f, Args([v], site=m.here.site)))


@model("itertools.dropwhile")
def dropwhile(m: Machine, args: Args) -> Value:
    """`dropwhile(f, v)`: begins at the first item that may fail the test."""
    f, items = args[0], args[1]

    def run(consume: Callable[[Value], Value]) -> Value:
        begun = False

        def one(v: Value) -> Value:
            nonlocal begun
            begun = begun or passes(m, f, v) is not True
            return consume(v) if begun else None

        return each_item(m, items, one)

    return Generator(run)


@model("itertools.filterfalse")
def filterfalse(m: Machine, args: Args) -> Value:
    """`filterfalse(f, v)`: the items that may fail the test."""
    f, items = args[0], args[1]

    def one(consume: Callable[[Value], Value], v: Value) -> Value:
        return consume(v) if passes(m, f, v) is not True else None

    return Generator(lambda consume: each_item(m, items, lambda v: one(consume, v)))


def _arranged(name: str) -> None:
    """A function of itertools that arranges items without looking at them."""
    f = getattr(itertools, name)

    def run(m: Machine, args: Args) -> Value:
        seqs = [sequences.sequence(m, v) if not isinstance(v, int) else v for v in map(m.state.resolve, args.pos)]
        plain_ = {k: m.state.resolve(v) for k, v in args.kw.items()}
        if any(isinstance(v, int) and v > budget.LIMITS.items for v in (*seqs, *plain_.values())):
            return Iterator_((), True)  # rows of this many items each
        known = [seq if isinstance(seq, int) else seq.known() for seq in seqs]
        try:
            made = list(itertools.islice(f(*known, **plain_), budget.LIMITS.items + 1))
        except (TypeError, ValueError):  # an unknown number, or a negative one
            return Iterator_((), True)
        open_ = len(made) > budget.LIMITS.items or any(isinstance(seq, Seq) and seq.open for seq in seqs)
        return Iterator_(tuple(made[: budget.LIMITS.items]), open_)

    model(f"itertools.{name}")(run)


for _name in ("product", "combinations", "combinations_with_replacement", "permutations", "zip_longest", "pairwise"):
    _arranged(_name)


@model("itertools.batched")
def batched(m: Machine, args: Args) -> Value:
    """`batched(v, n)`: tuples of `n` items, the last one of the remaining items."""
    seq, n = sequences.sequence(m, args[0]), m.state.resolve(args.get(1, "n"))
    if not isinstance(n, int) or n < 1:
        return Unknown("batches")
    items = seq.known()
    return Iterator_(tuple(tuple(items[i : i + n]) for i in range(0, len(items), n)), seq.open)


@model("itertools.compress")
def compress(m: Machine, args: Args) -> Value:
    """`compress(v, selectors)`: the items that may be selected."""
    rows = zip_(m, Args([args[0], args[1]]))

    def one(consume: Callable[[Value], Value], row: Value) -> Value:
        return consume(row[0]) if conditions.truth(m, row[1]) is not False else None

    return Generator(lambda consume: each_item(m, rows, lambda row: one(consume, row)))


@model("itertools.groupby")
def groupby(m: Machine, args: Args) -> Value:
    """`groupby(v, key)`: runs of items with equal keys; open if it is unknown whether two keys are equal."""
    seq, key = sequences.sequence(m, args.get(0, "iterable")), m.state.resolve(args.get(1, "key"))
    groups: list[tuple[Value, list[Value]]] = []
    unclear = seq.open
    for v in seq.known():
        rank = v if key is None else m.call(key, Args([v], site=m.here.site))
        same = conditions.truth(m, comparisons.compare(m, "==", groups[-1][0], rank)) if groups else False
        unclear = unclear or not isinstance(same, bool)
        if same is False:
            groups.append((rank, []))
        groups[-1][1].append(v)
    return Iterator_(tuple((rank, Iterator_(tuple(items), unclear)) for rank, items in groups), unclear)


@model("itertools.tee")
def tee(m: Machine, args: Args) -> Value:
    """`tee(v, n)`: several iterators over all items."""
    seq, n = sequences.sequence(m, args[0]), m.state.resolve(args.get(1, "n", 2))
    return tuple(
        Iterator_(tuple(seq.known()), seq.open) for _ in range(min(n, budget.LIMITS.items) if isinstance(n, int) else 2)
    )


@model("itertools.count")
def count(m: Machine, args: Args) -> Value:
    """`count(start)`."""
    start, step = args.get(0, "start", 0), args.get(1, "step", 1)
    known = isinstance(start, (int, float)) and isinstance(step, (int, float))
    more = Seq((), True)
    return sequences.sequence_value(more, lambda i: start + i * step if known else Unknown("a number", number=True))


@model("itertools.cycle")
def cycle(m: Machine, args: Args) -> Value:
    """`cycle(v)`: the same items for ever."""
    items = sequences.sequence(m, args[0]).known()
    return sequences.sequence_value(Seq((), True), lambda i: items[i % len(items)] if items else Unknown())


@model("itertools.repeat")
def repeat(m: Machine, args: Args) -> Value:
    """`repeat(v, n)`."""
    v, n = args[0], m.state.resolve(args.get(1, "times"))
    if isinstance(n, int):
        return ListV((v,) * max(min(n, 64), 0))
    return sequences.sequence_value(Seq((), True), lambda i: v)
