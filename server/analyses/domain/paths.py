"""Paths: what is assumed, what was changed, and how two branches become one state again.

There is one heap. Every write goes through the *trail* (`trail.py`), which keeps the old value, so that a branch can be
replayed and undone before the other one is. Where both go on, each place that one of them changed holds a `Phi` of the
two values, under the branch's condition (gated single assignment):

    if flag:                    # nobody knows `flag`
        y = x.sin()             # saves x
    else:
        y = x.detach()
    if not flag:
        x.add_(1)               # never where `sin` has saved x: harmless

After the first `if`, `y` is `Phi(flag, sin, detach)`. Two simpler designs fail on such programs. One that gives up at a
join ("y is unknown") misses every failure behind a branch. One that joins the *facts* ("x may have been saved, x may
have been changed") takes the `sin` of one side together with the change of the other, and raises a false alarm. A
`Phi` remembers its question: where `flag` is asked again, `State.resolve` finds the side that belongs to it, and
nothing is lost by joining. What costs is their number, so values have at most `budget.alternatives` of them.

What comes behind `if a:` with `if b: return` inside runs for each way that leads there, and so does what comes behind
the next one: twice as often for each. Where that would make more than `budget.copies`, it runs once (`State.after`).

Conditions that only the run can decide (a stride, a device) are questions like `flag`: what depends on the answer to
one is a guess, and says so.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from . import budget
from .containers import in_one_row
from .known import EQUALITIES, at_default, decided, equated
from .trail import Changes, Trail, held
from .values import ABSENT, Cond, Container, Phi, Slot, Unknown, Value, leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from .report import Answer, Failure

T = TypeVar("T")


class Raised(Exception):
    """The program raises: `value` is the exception (an Instance of its class, or Unknown), `name` its class's name.

    `failures` are reported once it is clear that no handler of the program catches it.
    """

    def __init__(self, value: Value = None, name: str = "Exception", failures: Sequence[Failure] = ()) -> None:
        super().__init__(name)
        self.value = value
        self.name = name
        self.failures = failures


class Outcome:
    """How a statement ended, if not by going on to the next one (`python/statements.py`)."""

    __slots__ = ()


class Exhausted(Exception):
    """The budget of an entry point is used up: what is known so far stands, the rest stays unknown."""


class Unwanted(Exception):
    """The answer isn't wanted any more."""


def always() -> bool:
    """Whether the answer is wanted: always, however long it takes."""
    return True


class Dead(Exception):
    """No path leads on from here, and no error was raised that a handler could catch."""


Guards = tuple[tuple[Cond, bool], ...]
"""Answers to open conditions, on which an alternative depends."""


@dataclass(slots=True)
class Side:
    """The side of an open branch that is being replayed. `only`: the other one won't be (`State.hold`)."""

    cond: Cond
    holds: bool
    only: bool = False


@dataclass(slots=True)
class Thrown:
    """An error that ended one side of a branch: the answers that led there, and what it left behind."""

    error: Raised
    path: Guards
    left: Changes


@dataclass(slots=True)
class Try:
    """A `try` that is being replayed, from `mark` of the trail and `depth` of the open branches on.

    `thrown` are the errors of single sides, which are handled in the end; None if they can't be.
    """

    mark: int
    depth: int
    thrown: list[Thrown] | None = field(default_factory=list)


class State(Trail):
    """The trail of writes and the assumptions of the path being replayed.

    `ended` has the combinations of answers under which the program has ended already.
    `splits` are the alternatives of values that are being followed one by one: a failure there depends on them, unlike
    on the branches that lead to a statement. `held` has the sides of the open branches that are being replayed, `tries`
    the open `try` statements, outermost first. `scoped` are stores whose values end with the block that sets them,
    `raising` the answers that lead to an error which the program handles. `on_deep` is called for a branch of which
    only one side is replayed, `on_lost` for an error that ends one side of a branch, `on_end` for one inside another
    branch, with the answers that lead there; `on_both` makes one error of two that end both sides.
    """

    def __init__(self) -> None:
        super().__init__()
        self.assumed: dict[Hashable, bool] = {}
        self.ended: dict[Any, Value] = {}
        self.splits: list[tuple[Cond, bool]] = []
        self.held: list[Side] = []
        self.ways: list[Sequence[Guards]] = []
        """what leads to what runs once for all of them, outermost first"""
        self.copies = 1
        """for how many ways that lead to it what runs now is run, one by one"""
        self.kept = 0
        """how often what open branches had done was kept (`hold`)"""
        self.tries: list[Try] = []
        self.scoped: set[int] = set()
        self.raising: dict[tuple[Hashable, bool], bool] = {}
        self.on_deep: Callable[[], None] = lambda: None
        self.on_lost: Callable[[Raised], None] = lambda error: None
        self.on_end: Callable[[frozenset[tuple[Hashable, bool]]], None] = lambda given: None
        self.on_both: Callable[[Exception, Exception], Exception] = lambda first, second: first

    # -- assumptions ----------------------------------------------------------------------------

    def assume(self, cond: Cond, holds: bool) -> None:
        """Assume an answer to `cond` for the rest of this path."""
        self.set(self.assumed, cond.key, holds)

    def exclude(self, cond: Cond, holds: bool) -> None:
        """The program ends where `cond` has this answer: on this path the other one holds from here on."""
        self.assume(cond, not holds)
        if self.held:  # behind the branches around, only the two together are excluded
            self.on_end(frozenset(((cond.key, holds), *((one.key, so) for one, so in self.sides))))

    def answer(self, key: Hashable) -> bool | None:
        """The answer to a question on this path.

        It is assumed, what all ways lead through that are left, or decided by what something is assumed to equal.
        """
        known = self.assumed.get(key)
        if known is not None:
            return known
        for ways in self.ways:
            known = self._told_by(ways, key)
            if known is not None:
                return known
        for asked, so in self.assumed.items():  # this is done at each branch, and a generator takes its time
            if so and type(asked) is tuple and asked[0] in EQUALITIES and (equal := equated(asked)) is not None:
                known = decided(key, *equal)
                if known is not None:
                    return known
        return None

    def _told_by(self, ways: Sequence[Guards], key: Hashable) -> bool | None:
        """The answer that all ways give which are left on this path."""
        told: bool | None = None
        for guards in ways:
            own: bool | None = None
            for cond, holds in guards:
                assumed = self.assumed.get(cond.key)
                if assumed is None:
                    own = holds if cond.key == key else own
                elif assumed is not holds:
                    break
            else:
                if own is None or (told is not None and told is not own):
                    return None
                told = own
        return told

    def has_ended(self, given: frozenset[tuple[Hashable, bool]]) -> bool:
        """Whether the program has ended under these answers, whatever the answers to other questions are.

        Of several answers that have ended it together one must be given: else there are too many to go through. Answers
        of which one speaks against another are never given.
        """
        equal = [one for key, holds in given if holds and (one := equated(key)) is not None]
        if any(decided(key, *one) is (not holds) for key, holds in given for one in equal):
            return True
        close = (ended for ended in self.ended if len(ended) <= 1 or not given.isdisjoint(ended))
        left = [ended - given for ended in close if not any((key, not holds) in given for key, holds in ended)]
        if not left or not all(left):
            return bool(left)
        shortest = min(left, key=len)
        key, _ = next(iter(shortest))
        return self.has_ended(given | {(key, True)}) and self.has_ended(given | {(key, False)})

    def resolve(self, value: T | Phi) -> T | Phi:
        """The value under the present assumptions; a Phi only if its condition is open."""
        while type(value) is Phi:
            holds = self.assumed.get(value.cond.key)
            if holds is None:
                return value
            value = value.then if holds else value.orelse
        return value

    # -- branches -------------------------------------------------------------------------------

    def fork(self, cond: Cond, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """Replay both answers of `cond` and join them; gives the joined result.

        A side that raises ends there: the path goes on with the other side, whose answer is then assumed. Raises
        `Raised` only if both sides do, and `Exhausted` if the budget is used up on one of them, with both joined.
        """
        known = self.answer(cond.key)
        if known is not None:
            self.assume(cond, known)  # it may follow from other answers, of which `resolve` doesn't know
            return then() if known else orelse()
        if len(self.held) >= budget.LIMITS.forks:
            self.on_deep()
            holds = at_default(cond.site, cond.text) is True
            self.assume(cond, holds)
            return then() if holds else orelse()
        mark = len(self.trail)
        branch = Side(cond, True)
        first_changes: Changes = {}
        raised: Exception | None = None
        self.held.append(branch)
        try:
            first, raised = self._side(branch, then)
            if branch.only:
                return self._only(first, raised)
            thrown = self._thrown(raised)
            first_changes = self._changes(mark)
            branch.holds = False
            second, raised_too = self._side(branch, orelse)
            if branch.only:
                return self._only(second, raised_too)
            if raised is None:
                thrown = self._thrown(raised_too)
        except Exhausted:
            if raised is None and not branch.only:
                self._left(branch, first_changes, mark)
            raise
        finally:
            self.held.pop()
        if raised is not None and raised_too is not None and thrown is not None:
            self._tell(raised, thrown)
            raise raised_too
        if raised_too is not None:
            self.undo(mark)
            self._apply(first_changes)
            if raised is not None:
                raise self.on_both(raised, raised_too)
            self._tell(raised_too, thrown)
            self.exclude(cond, False)
            return first
        if raised is not None:
            self._tell(raised, thrown)
            self.exclude(cond, True)
            return second
        second_changes = self._changes(mark)
        if first_changes or second_changes:
            self._join(cond, first_changes, second_changes)
        return self.merge(cond, first, second)

    def _side(self, branch: Side, run: Callable[[], Value]) -> tuple[Value, Exception | None]:
        self.assume(branch.cond, branch.holds)
        try:
            return run(), None
        except (Raised, Dead) as e:
            return None, e

    def _changes(self, mark: int) -> Changes:
        """Undo what a side that began at `mark` has written; most sides assume their answer and write nothing."""
        if len(self.trail) > mark + 1:
            return self.rewind(mark)
        self.undo(mark)
        return {}

    def _left(self, branch: Side, first: Changes, mark: int) -> None:
        """Join what was done on the sides of a branch when the budget was used up."""
        now = self.rewind(mark)
        self._join(branch.cond, *((now, first) if branch.holds else (first, now)))

    @property
    def sides(self) -> list[tuple[Cond, bool]]:
        """The sides of the open branches that are being replayed."""
        return [(branch.cond, branch.holds) for branch in self.held]

    def reached_by(self) -> tuple[Answer, ...]:
        """The answers of the open branches, outermost first; those of a value's alternatives are none."""
        split = {cond.key for cond, _ in self.splits}
        held = ((side.cond, side.holds) for side in self.held if side.cond.key not in split)
        return tuple((cond.text, cond.site, holds) for cond, holds in held)

    def hold(self) -> None:
        """Keep what the open branches have done so far: another thread goes on from here, so it can't be undone."""
        self.kept += 1
        for branch in self.held:
            branch.only = True

    @staticmethod
    def _only(value: Value, raised: Exception | None) -> Value:
        if raised is not None:
            raise raised
        return value

    def _tell(self, error: Exception, thrown: Thrown | None) -> None:
        """A side has ended in an error: the `try` around it handles that later; without one it is lost."""
        if thrown is not None:
            assert self.tries[-1].thrown is not None
            self.tries[-1].thrown.append(thrown)
            cond, holds = thrown.path[-1]
            self.note_item(self.raising, (cond.key, holds), True)
        elif isinstance(error, Raised):
            self.on_lost(error)

    def _apply(self, changes: Changes) -> None:
        for store, key, value in changes.values():
            if type(key) is Slot:
                self.put(store, key, value)
            elif value is not ABSENT:
                self.set(store, key, value)
            elif key in store:
                self.delete(store, key)

    def _join(
        self,
        cond: Cond,
        first: Changes,
        second: Changes,
    ) -> None:
        assumed = self.assumed
        for place, (store, key, a) in first.items():
            if store is not assumed:
                base = held(store, key)
                self._put_joined(store, key, base, self.merge(cond, a, second[place][2] if place in second else base))
        for place, (store, key, b) in second.items():
            if store is not assumed and place not in first:
                base = held(store, key)
                self._put_joined(store, key, base, self.merge(cond, base, b))

    def _put_joined(self, store: Any, key: Any, base: Value, value: Value) -> None:
        if type(key) is Slot:
            if value is not base:
                self.put(store, key, value)
        elif value is ABSENT and base is not ABSENT:
            self.delete(store, key)
        elif value is not base:
            self.set(store, key, value)

    # -- what comes behind branches ---------------------------------------------------------------

    def after(self, outcome: Value, rest: Callable[[], Value]) -> Value:
        """Run `rest` where `outcome` is None, which means that the path goes on; gives the outcome of both.

        Behind `if a:` with `if b: return` inside, two ways go on. It runs for each of them, so that it knows what they
        have chosen; where that makes too many copies, it runs once, and what it leaves is joined with those that ended.
        """
        outcome = self.resolve(outcome)
        if type(outcome) is not Phi:
            return rest() if outcome is None else outcome
        ways = self.alternatives(outcome)
        going = [guards for guards, one in ways if one is None]
        if self.copies * len(going) > budget.LIMITS.copies and len(going) > 1 and self.may_join:
            kept = self.kept
            rest = self._once(going, [guards for guards, one in ways if one is not None], rest)
            return rest() if self.kept > kept else self._where_none(outcome, rest)
        before, self.copies = self.copies, self.copies * max(len(going), 1)
        try:
            return self._where_none(outcome, rest)
        finally:
            self.copies = before

    @property
    def may_join(self) -> bool:
        """Whether what several ways lead to may run once: not where an error on one of them is handled."""
        return not any(tried.thrown is not None for tried in self.tries)

    def _where_none(self, outcome: Value, rest: Callable[[], Value]) -> Value:
        outcome = self.resolve(outcome)
        if type(outcome) is not Phi:
            return rest() if outcome is None else outcome
        then = partial(self._where_none, outcome.then, rest)
        return self.fork(outcome.cond, then, partial(self._where_none, outcome.orelse, rest))

    def _once(self, ways: Sequence[Guards], gone: Sequence[Guards], run: Callable[[], Value]) -> Callable[[], Value]:
        """Run something for all ways that lead to it, and take it back; gives what does the same again on any of them.

        Meanwhile what would happen on the ways that are `gone` doesn't count. It isn't taken back if it was kept.
        """
        mark, kept = len(self.trail), self.kept
        past = [self._given(guards) for guards in gone]
        for given in past:
            self.set(self.ended, given, True)
        self.ways.append(ways)
        try:
            ended = self._ended(run)
        finally:
            self.ways.pop()
            for given in past:
                if given in self.ended:
                    self.delete(self.ended, given)
        if self.kept > kept:
            return ended
        left = self.rewind(mark)
        for place, (store, key, value) in list(left.items()):
            if store is self.ended or store is self.assumed:
                del left[place]
                for guards in ways if type(value) is bool else ():
                    if store is self.ended:
                        self.set(self.ended, key | self._given(guards), True)
                    else:
                        self.on_end(frozenset({(key, not value)}) | self._given(guards))
        return partial(self._again, left, ended)

    def _given(self, guards: Guards) -> frozenset[tuple[Hashable, bool]]:
        return frozenset((cond.key, holds) for cond, holds in (*self.sides, *guards))

    def _again(self, left: Changes, ended: Callable[[], Value]) -> Value:
        self._apply(left)
        return ended()

    # -- errors that are handled ------------------------------------------------------------------

    def attempt(
        self, body: Callable[[], Value], handle: Callable[[Raised], Value], orelse: Callable[[Value], Value]
    ) -> Value:
        """Replay `body`, then `orelse` with its outcome, or `handle` with its error; gives the outcome.

        An error on one side of a branch in the body is handled on that side alone. Raises what they raise.
        """
        tried = Try(len(self.trail), len(self.held))
        self.tries.append(tried)
        rest: Callable[[], Value]
        try:
            rest = partial(orelse, body())
        except Raised as error:
            rest = partial(handle, error)
        finally:
            self.tries.pop()
        for thrown in reversed(tried.thrown or ()):
            ended = self._ended(rest)
            for cond, _ in thrown.path:
                if cond.key in self.assumed:
                    self.delete(self.assumed, cond.key)
            rest = partial(self._where, thrown.path, partial(self._handled, tried.mark, thrown, handle), ended)
        return rest()

    @contextmanager
    def unwinding(self) -> Iterator[None]:
        """While this lasts, an error does more on its way out than reach a handler; an error of one side is lost."""
        self.tries.append(Try(len(self.trail), len(self.held), None))
        try:
            yield
        finally:
            self.tries.pop()

    def _thrown(self, error: Exception | None) -> Thrown | None:
        """An error that ends the present side, for the `try` around it; None if none would handle it."""
        tried = self.tries[-1] if self.tries else None
        if (
            not isinstance(error, Raised)
            or tried is None
            or tried.thrown is None
            or len(tried.thrown) >= budget.LIMITS.thrown
        ):
            return None
        path = tuple((side.cond, side.holds) for side in self.held[tried.depth :])
        left = self.left_since(tried.mark).items()
        return Thrown(error, path, {place: now for place, now in left if place[0] not in self.scoped})

    def _handled(self, mark: int, thrown: Thrown, handle: Callable[[Raised], Value]) -> Value:
        """Handle an error in the state that it left behind."""
        self._apply({**self.changed_since(mark), **thrown.left})
        return handle(thrown.error)

    @staticmethod
    def _ended(run: Callable[[], Value]) -> Callable[[], Value]:
        """Run something; gives a function that gives its outcome again, or raises its error."""
        try:
            value = run()
        except (Raised, Dead) as e:
            return partial(State._only, None, e)
        return partial(State._only, value, None)

    def _where(self, path: Guards, run: Callable[[], Value], other: Callable[[], Value]) -> Value:
        """`run` if all of `path` holds, else `other`."""
        if not path:
            return run()
        (cond, holds), *rest = path
        inner = partial(self._where, tuple(rest), run, other)
        return self.fork(cond, inner, other) if holds else self.fork(cond, other, inner)

    # -- joined values ----------------------------------------------------------------------------

    def merge(self, cond: Cond, a: Value, b: Value) -> Value:
        """`a` if `cond` holds, else `b`. A name that is bound on one side only counts as bound."""
        if a is b or b is ABSENT:  # a choice that one side has made stays one (`where`)
            return a
        if a is ABSENT:
            return b
        a, b = self._under(a, cond, True), self._under(b, cond, False)
        if a is b:
            return a
        if type(a) is type(b):
            if type(a) is tuple:
                if len(a) == len(b):
                    return tuple(self.merge(cond, x, y) for x, y in zip(a, b, strict=True))
            elif a == b or (type(a) is Unknown and a.key == b.key):
                return a
        phi = Phi(cond, a, b)
        return phi if phi.size <= budget.LIMITS.alternatives else prune(phi, budget.LIMITS.kept_branches)

    @staticmethod
    def _under(value: Value, cond: Cond, holds: bool) -> Value:
        while type(value) is Phi and value.cond == cond:
            value = value.then if holds else value.orelse
        return value

    def each(self, value: Value, run: Callable[[Value], Value]) -> Value:
        """`run` on the value, or on each alternative of a Phi, joined."""
        value = self.resolve(value)
        if type(value) is not Phi:
            return run(value)
        cond = value.cond
        then = partial(self._split, cond, True, value.then, run)
        orelse = partial(self._split, cond, False, value.orelse, run)
        return self.fork(cond, then, orelse)

    def _split(self, cond: Cond, holds: bool, value: Value, run: Callable[[Value], Value]) -> Value:
        """`run` on the value under one answer to `cond`."""
        self.splits.append((cond, holds))
        try:
            return run(value) if type(value) is not Phi else self.each(value, run)
        finally:
            self.splits.pop()

    def asked(self, value: Phi, ask: Callable[[Value], Any]) -> tuple[Any, Any]:
        """The answer of `ask`, which writes nothing, for each of two alternatives."""
        key, assumed = value.cond.key, self.assumed
        try:
            assumed[key] = True
            then = ask(value.then)
            assumed[key] = False
            return then, ask(value.orelse)
        finally:
            del assumed[key]

    def each_way(self, value: Value, make: Callable[[Value], Value]) -> Value:
        """`make` of the value, or of each alternative of a Phi, without assuming any of them."""
        value = self.resolve(value)
        if type(value) is not Phi:
            return make(value)
        return Phi(value.cond, self.each_way(value.then, make), self.each_way(value.orelse, make))

    @staticmethod
    def where(value: Value, sides: Sequence[tuple[Cond, bool]], other: Value) -> Value:
        """The value on these sides of branches, and another one on the other sides."""
        for cond, holds in reversed(sides):
            value = Phi(cond, value, other) if holds else Phi(cond, other, value)
        return value

    def alternatives(self, value: Value, guards: Guards = ()) -> list[tuple[Guards, Value]]:
        """All values that `value` can be here, each with the open conditions that it depends on."""
        value = self.resolve(value)
        if type(value) is not Phi:
            return [(guards, value)]
        known = next((holds for cond, holds in guards if cond == value.cond), None)
        if known is not None:
            return self.alternatives(value.then if known else value.orelse, guards)
        return [
            *self.alternatives(value.then, (*guards, (value.cond, True))),
            *self.alternatives(value.orelse, (*guards, (value.cond, False))),
        ]

    def pick(self, value: T | Phi) -> T:
        """One alternative of a Phi, if following all of them isn't worth it (which memory a name has)."""
        one: Value = self.resolve(value)
        while type(one) is Phi:
            one = self.resolve(one.then if one.then is not None else one.orelse)
        return one  # type: ignore[no-any-return]

    def is_open(self, v: Container) -> bool:
        """Whether a container may hold more than is known, by any of the branches that lead here."""
        return any(leaf is not False for leaf in leaves(self.resolve(v.open)))

    def tuple_of(self, value: Value) -> tuple[Value, ...]:
        """The tuple in a slot: the longest of a branch's alternatives, an empty one if it is unknown."""
        value = self.resolve(value)
        if type(value) is tuple:
            return value
        options = [v for _, v in self.alternatives(value) if isinstance(v, tuple)]
        return max(options, key=len, default=())


def gated(value: Value, guards: Guards) -> Value:
    """`value` if the conditions have these answers, else None."""
    for cond, holds in reversed(guards):
        value = Phi(cond, value, None) if holds else Phi(cond, None, value)
    return value


def prune(value: Value, depth: int) -> Value:
    """The alternatives of the latest branches; those of older branches become one value."""
    if type(value) is not Phi:
        return value
    if depth == 0:
        return widen(value)
    return Phi(value.cond, prune(value.then, depth - 1), prune(value.orelse, depth - 1))


def widen(value: Phi) -> Value:
    """One value that stands for all alternatives, if their class has one (`widened`), else an unknown one."""
    every = leaves(value)
    if all(v is every[0] for v in every):
        return every[0]
    if any(isinstance(v, Outcome) for v in every):
        return None if None in every else every[0]
    kind = type(every[0])
    if all(type(v) is tuple for v in every):
        return in_one_row(value)
    if hasattr(kind, "widened") and all(type(v) is kind for v in every):
        found = kind.widened(every)
        if found is not None:
            return found
    return Unknown("one of many values")
