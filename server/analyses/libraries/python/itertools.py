"""Models of Python's `itertools`, which are as lazy as the originals."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ...domain import budget
from ...domain.containers import Seq
from ...domain.registry import model
from ...domain.values import Args, ClassV, Generator, Iterator_, ListV, Unknown, Value
from ...python import comparisons, conditions, sequences
from .iterables import advance, each_item, iter_

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
