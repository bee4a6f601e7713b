"""Loops and comprehensions.

A loop of known length is replayed turn by turn as long as that is cheap, and shows something new. Of the others, and of
what is left of a long one, a few turns are replayed with the values that they have, and one more with all plain values
that the loop changes unknown, which stands for all later ones:

    for step in range(10_000):          # turn 0, 1, 2 as they are; one turn with an unknown `step`
        loss = model(x) + 0.1 * last    # turn 1 meets the `last` of turn 0
        loss.backward()                 # … and runs backward through its graph again: a failure, found in turn 1
        last = loss

Tensors keep what they are from turn to turn; a mistake that needs two turns is seen in the second, one that needs a
state which only a first turn lacks in the third.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...syntax import ir
from ...syntax.walk import statements as statements_of
from ..autograd.tensors import Counter, Tensor, Version
from ..autograd.versions import bounds
from ..domain import budget
from ..domain.containers import Made
from ..domain.steps import Globals
from ..domain.trail import held
from ..domain.values import (
    ABSENT,
    Cond,
    Container,
    Generator,
    Instance,
    Items,
    Iterator_,
    ListV,
    Names,
    Phi,
    Unknown,
    Value,
    leaves,
    serial,
)
from . import counting, sequences, statements

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..domain.containers import Seq
    from .machine import Machine

VARIABLES = (Names, Globals)
"""where variables, and the attributes of objects, are kept"""
BRANCHES = (ir.If, ir.Match, ir.Try, ir.Continue, ir.Break, ir.Return)


def is_open(m: Machine, g: ir.Comprehension) -> bool:
    """Whether a comprehension's list may hold more or fewer items than were replayed."""
    return bool(m.open_loops.pop(id(g), False))


class Loop:
    """One run of a loop: counts the turns, decides when to stop, widens before the last one."""

    def __init__(self, m: Machine, node: ir.Node) -> None:
        self.m = m
        self.node = node
        self.mark = len(m.state.trail)
        self.began = serial()
        self.around = m.work.loop_until
        self.began_at = m.work.steps
        self.until = m.work.loop_until = m.work.steps + m.work.steps_for_loop
        self.most = budget.LIMITS.turns if node not in m.work.long_loops else 0
        m.now.executed.add(node)
        m.runs += 1
        self.run = m.runs
        self.outer = m.here.iterations
        self.turn_number = 0
        self.turns: dict[int, tuple[int, int]] = {}
        """where each turn began: on the trail, and among the `uid`s"""
        self.late = 0
        self.rare = m.rare

    def enter(self, i: int) -> None:
        """Begin turn `i`."""
        self.turn_number = i
        self.turns[i] = len(self.m.state.trail), serial()
        self.m.work.step()
        self.m.here.iterations = (*self.outer, (self.run, i))

    def expect(self, turns: int) -> None:
        """The number of turns is known: if an earlier run came to its end, this one may."""
        if turns <= self.m.work.long_loops.get(self.node, 0):
            self.most = budget.LIMITS.turns

    def leave(self) -> None:
        """Note that the loop has ended."""
        self.m.work.loop_until = self.around
        self.m.here.iterations = self.outer

    def may_go_on(self, i: int) -> bool:
        """Whether turn `i` may be replayed with its actual values.

        A loop that was too long for that once will be again, so fewer turns of its later runs are enough.
        """
        work, limits = self.m.work, budget.LIMITS
        until = min(self.until, max(self.began_at, work.newest) + limits.loop_patience)
        if i <= (limits.exact_turns if self.most else limits.again_turns) or (i < self.most and work.steps < until):
            return True
        if self.most:
            self.m.state.note_item(self.m.work.long_loops, self.node, i)
        return False

    def another(self) -> bool:
        """Whether to replay one more late turn: what happens in only some of them shows in the next one."""
        return self.late == 1 and self.m.rare > self.rare

    def widen(self, left: int | Unknown | None = None) -> counting.Key:
        """Let the coming turn stand for all `left` later ones; gives its key.

        Plain values that the loop changes are unknown there; those that it counts with are linear in the turn.
        """
        state = self.m.state
        self.late += 1
        self.rare = self.m.rare
        key = counting.turn(self.m, self.run, self.late, left)
        skip = (id(state.assumed),)
        for (place, name), (store, _, old) in state.changed_since(self.mark).items():
            now = state.resolve(held(store, name))
            if place in skip or now is ABSENT or old is ABSENT:
                continue
            again = counting.moved(now, key) if isinstance(now, Unknown) else None
            if again is not None:
                state.write(store, name, again)
            elif plain(now) and plain(old) and not (type(now) is type(old) and now == old):
                state.write(store, name, self.counted(old, now, key))
        return key

    def loosen(self, turn: int, may_be_none: bool = False) -> None:
        """Make the number of writes unknown for everything that each turn writes, since the number of turns is unknown.

        `may_be_none`: not even the first turn is certain. Tensors that a turn has made itself are not affected.
        """
        state, (mark, began) = self.m.state, self.turns[turn]
        since = state.changed_since(mark)
        for place, (store, key, old) in state.changed_since(self.mark).items():
            before = leaves(old) if key is Counter.current else []
            if not before or not isinstance(before[0], Version):
                continue
            here = leaves(since[place][2]) if place in since else []
            grows = any(v.uid < began for v in here)
            low, _ = bounds(before)
            for v in leaves(store.current):
                if v not in before and (grows or before[0].uid < self.began):
                    state.note(v, "low", min(v.low, low) if may_be_none else v.low)
                    state.note(v, "high", None if grows else v.high)

    def grow(self, turn: int, keep: bool = True) -> None:
        """Let the rows that the last turn has made longer, or shorter, be so by an unknown number of items.

        It stands for all later turns, of which each adds or takes some. Where its items stand, if others come between,
        is unknown: it doesn't `keep` them.
        """
        state, (mark, began) = self.m.state, self.turns[turn]
        for store, key, old in list(state.changed_since(mark).values()):
            now = state.resolve(held(store, key))
            if key is Items.items:
                if store.uid < began and (more := added(old, now)):
                    state.put(store, Container.open, True)
                    if more < 0 or not keep:
                        state.put(store, Items.items, () if more < 0 else old)
            elif isinstance(now, ListV) and isinstance(old, ListV) and now is not old:
                if added(old.items, now.items):  # `row = row + [item]`
                    state.put(now, Container.open, True)
                    if not keep:
                        state.put(now, Items.items, old.items)
            elif type(store) in VARIABLES and type(now) is type(old) is tuple and len(now) > len(old):
                row = ListV(now if keep else old, "tuple")
                row.open = True
                state.write(store, key, row)

    def follow(self, late: Value, others: Sequence[Value], first: int) -> None:
        """Let the tensors of the skipped items, from the `first` on, require grad if the last turn has set that.

        If a turn has branches, it is a guess that all items are treated alike. Most turns set nothing of the kind: then
        no item is looked at, for it may have to be made.
        """
        changed = self.m.state.changed_since(self.turns[self.turn_number][0])
        for number, t in tensors_of(late):
            if (id(t), Tensor.requires_grad_) not in changed or not plain(t.requires_grad_):
                continue
            for other in others[first : budget.LIMITS.items]:
                for twin in (one for at, one in tensors_of(other) if at == number):
                    self.m.state.put(twin, Tensor.requires_grad_, self.likely(t.requires_grad_, twin.requires_grad_))

    def likely(self, now: Value, before: Value) -> Value:
        """The `requires_grad` of a tensor in an item that the loop may not have reached."""
        if not isinstance(self.node, ir.For) or not any(isinstance(s, BRANCHES) for s in statements_of(self.node.body)):
            return now
        cond = Cond(("late", self.run), "guess", "this turn of the loop is as the others", self.m.here.site)
        return self.m.state.merge(cond, now, before)

    def counted(self, old: Value, now: Value, key: counting.Key) -> Value:
        """The value in the late turns of something that was `old` before the loop and is `now`."""
        done = self.turn_number + 1
        if type(old) is type(now) is int and (now - old) % done == 0:
            return counting.counter(now, (now - old) // done, key)
        return Unknown("changes in the loop", number=True)


def added(before: Value, now: Value) -> int:
    """How many items a row has more than before; none if that is unknown."""
    rows = [[len(row) for row in leaves(v) if isinstance(row, tuple)] for v in (before, now)]
    return max(rows[1]) - max(rows[0]) if all(rows) else 0


def tensors_of(item: Value) -> list[tuple[int, Tensor]]:
    """The tensors that a loop's item is or consists of, with their place in it."""
    return [(at, v) for at, v in enumerate(item if isinstance(item, tuple) else (item,)) if isinstance(v, Tensor)]


def plain(v: Value) -> bool:
    """Whether a value is a number, a text or a bool: something that a loop counts with."""
    if type(v) is Phi:
        return plain(v.then) and plain(v.orelse)
    return isinstance(v, (int, float, str)) or (v is None)


def loop(m: Machine, node: ir.Node, iterable: Value, turn: Callable[[Value], Value]) -> Value:
    """Run `turn` for the items of an iterable; the loop's outcome (a Return, BREAK, or None)."""
    iterable = m.state.resolve(iterable)
    if isinstance(iterable, Phi):
        row = sequences.one_range(m, iterable)
        if row is None:
            return m.state.each(iterable, lambda one: loop(m, node, one, turn))
        iterable = sequences.Lazy(row)
    own = sequences.iter_method(m, iterable)
    if own is not None:
        iterable = own
    run = Loop(m, node)
    try:
        if isinstance(iterable, Generator):
            return generator_loop(m, run, iterable, turn)
        if not isinstance(iterable, (Iterator_, sequences.Lazy)) or (isinstance(node, ir.For) and not shares(m, node)):
            return counted_loop(m, run, sequences.sequence(m, iterable), turn)
        outcome = counted_loop(m, run, sequences.taken(m, iterable), turn)
        if outcome is None:
            sequences.exhaust(m, iterable)
        return outcome
    finally:
        run.leave()


def counted_loop(m: Machine, run: Loop, seq: Seq, turn: Callable[[Value], Value]) -> Value:
    """A loop over items that are known or can be made."""
    n = len(seq.items)
    if not seq.open:
        run.expect(n)

    def go(i: int, before: Value = None) -> Value:
        while True:
            if i >= n and not seq.open:
                return None
            ends = i == n - 1 and not seq.open and not run.late
            last = (not ends and not run.may_go_on(i)) or (i >= n and i >= max(n, budget.LIMITS.exact_turns))
            if last:
                run.loosen(i - 1, seq.open)
            key = run.widen(seq.left(i)) if last else None
            if last and (seq.open or i < n):
                m.open_loops[id(run.node)] = True
            run.enter(i)
            value = item_of(seq, i)
            if last:
                value = any_later(value, before if i else value, key)
            outcome = ended(m, where_it_is(m, value, turn))
            if last:
                run.loosen(i, seq.open)
                run.grow(i)
            if last and not run.another():
                if outcome is None:
                    run.follow(value, seq.items, i + 1)
                    return others(i)
                return outcome
            i += 1
            if outcome is not None:
                if type(outcome) is not Phi:
                    return outcome
                return m.state.after(outcome, partial(go, i, value))
            before = value

    def others(done: int) -> Value:
        for i in unlike(seq.items, done) if isinstance(run.node, ir.For) else ():
            run.enter(i)
            outcome = ended(m, where_it_is(m, seq.item(i), turn))
            run.loosen(i, may_be_none=True)
            run.grow(i, keep=False)
            if outcome is not None:
                return outcome
        return None

    return go(0)


def item_of(seq: Seq, i: int) -> Value:
    """The item of a turn; behind those that are known, of an open row of objects, one like those in its last places.

    Such a row was filled by a loop of unknown length, each turn of which has put as many items there as the last one.
    """
    known = len(seq.items)
    if seq.open and i >= known > 0 and not isinstance(seq.items, Made) and classes(seq.items[-1]):
        put = 1 if known == 1 else repeats(seq.items)
        return seq.items[known - put + (i - known) % put] if put else seq.item(i)
    return seq.item(i)


def repeats(items: Sequence[Value]) -> int:
    """After how many items of a row the classes of the last ones come again; 0 if they do not."""
    kinds = [classes(item) for item in items]
    return next((n for n in range(1, len(kinds) // 2 + 1) if kinds[-n:] == kinds[-2 * n : -n]), 0)


def unlike(items: Sequence[Value], done: int) -> list[int]:
    """The places of the items, behind the one that is `done`, that are of other classes than all before them.

    The late turn stands for those that are like its own item; a loop over `self.modules()` is mostly about classes.
    """
    if isinstance(items, Made):
        return []
    seen, found = {classes(item) for item in items[: done + 1]}, list[int]()
    for i, item in enumerate(items[done + 1 : budget.LIMITS.items], done + 1):
        if (kind := classes(item)) and kind not in seen:
            seen.add(kind)
            found.append(i)
    return found


def classes(item: Value) -> tuple[Value, ...]:
    """The classes of the objects that an item is or consists of."""
    return tuple(v.cls for v in (item if isinstance(item, tuple) else (item,)) if isinstance(v, Instance))


def where_it_is(m: Machine, item: Value, turn: Callable[[Value], Value]) -> Value:
    """Run a turn only on the sides of earlier branches on which the collection has the item."""
    decides = sequences.missing(m, item)
    if type(decides) is Phi:
        again = partial(where_it_is, m, item, turn)
        return m.state.fork(decides.cond, again, again)
    return turn(item) if decides is None else None


def any_later(value: Value, before: Value, key: counting.Key) -> Value:
    """The item of the turn that stands for the later ones, after the item `before`."""
    if isinstance(value, str):
        return Unknown("the loop's variable")
    if isinstance(value, int) and isinstance(before, int):
        return counting.counter(value, value - before, key)
    if type(value) is tuple and type(before) is tuple and 0 < len(value) == len(before):
        first, last = value[0], before[0]
        if isinstance(first, int) and isinstance(last, int) and not isinstance(first, bool):
            return (counting.counter(first, first - last, key), *value[1:])
    return value


def generator_loop(m: Machine, run: Loop, g: Generator, turn: Callable[[Value], Value]) -> Value:
    """A loop over a generator: its body runs, and each yield runs the loop's body."""
    count = 0
    before: Value = None
    run_body = sequences.entered(m, g, may_stop=g.kept and shares(m, run.node))
    if run_body is None:
        return None

    def consume(v: Value) -> Value:
        nonlocal count, before
        inner, at, frame = m.here.iterations, (m.here.chunk, m.here.node), m.frame
        m.frame, m.here.chunk = home, chunk
        last = not run.may_go_on(count)
        if last:
            run.loosen(count - 1)
        v, before = any_later(v, before, run.widen()) if last else v, v
        run.enter(count)
        count += 1
        try:
            outcome = ended(m, turn(v))
        finally:
            m.here.iterations, (m.here.chunk, m.here.node), m.frame = inner, at, frame
        if type(outcome) is Phi:
            outcome = usual(m, outcome)
        if last:
            run.loosen(count - 1)
            run.grow(count - 1)
        if outcome is not None or (last and not run.another()):
            raise sequences.Stop(outcome)
        return None

    home, chunk = m.frame, m.here.chunk
    try:
        run_body(consume)
    except sequences.Stop as stop:
        m.state.note(g, "left", g.coroutine is None)
        return stop.outcome
    return None


def shares(m: Machine, node: ir.Node) -> bool:
    """Whether a loop may leave items of an iterator to what comes later, or takes some in its body."""
    if not isinstance(node, ir.For):
        return False
    if any(isinstance(s, (ir.Break, ir.Return)) for s in statements_of(node.body)):
        return True
    assert m.here.chunk is not None
    return "next" in m.here.chunk.text[node.start : node.end]


def usual(m: Machine, outcome: Value) -> Value:
    """The side of an outcome on which the loop goes on, if it depends on a branch; that side is assumed."""
    for guards, one in m.state.alternatives(outcome):
        if one is None:
            for cond, holds in guards:
                m.state.assume(cond, holds)
            return None
    return m.state.pick(outcome)


def turns(m: Machine, node: ir.Node, again: Callable[[], bool | None], body: Callable[[], Value]) -> Value:
    """Run a while loop: `again` says whether its condition holds (None: unknown); gives the loop's outcome."""
    run = Loop(m, node)

    def go(i: int, unknown: int) -> Value:
        while True:
            holds = again()
            unknown += holds is None
            if holds is False or unknown > budget.LIMITS.exact_turns + 2:
                return None
            last = not run.may_go_on(i) or unknown >= budget.LIMITS.exact_turns + 1
            if last:
                run.loosen(i - 1, unknown > 0)
                run.widen()
            run.enter(i)
            outcome = ended(m, body())
            if last:
                run.loosen(i, unknown > 0)
                run.grow(i)
            if last and not run.another():
                return outcome
            i += 1
            if outcome is not None:
                if type(outcome) is not Phi:
                    return outcome
                return m.state.after(outcome, partial(go, i, unknown))

    try:
        return go(0, 0)
    finally:
        run.leave()


def ended(m: Machine, outcome: Value) -> Value:
    """The outcome of a loop's body, seen from the loop: `continue` goes on."""
    return replace(m, outcome, statements.CONTINUE)


def left(m: Machine, outcome: Value) -> Value:
    """The outcome of a loop, seen from outside: `break` goes on behind it."""
    return replace(m, outcome, statements.BREAK)


def replace(m: Machine, outcome: Value, jump: Any) -> Value:
    """The outcome with `jump` turned into going on."""
    outcome = m.state.resolve(outcome)
    if outcome is jump:
        return None
    if type(outcome) is Phi:
        return m.state.merge(outcome.cond, replace(m, outcome.then, jump), replace(m, outcome.orelse, jump))
    return outcome
