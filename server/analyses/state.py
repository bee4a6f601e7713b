"""Paths: what is assumed, what was changed, and how two branches become one state again.

There is one heap. Every write goes through `State.set`, which keeps the old value on a trail, so that a
branch can be replayed, undone and the other one replayed. Where both go on, each place that one of them
changed holds a `Phi` of the two values under the branch's condition (gated single assignment): a later
test of the same condition finds the right one again, and nothing is lost by joining.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from .tensors import Node, Version
from .values import ABSENT, Cond, Phi, Unknown, Value

if TYPE_CHECKING:
    from .report import Failure
    from .values import Object

MAX_ALTERNATIVES = 12
"""More alternatives than this for one place become unknown."""

KEPT_DEPTH = 3
"""So many of the latest branches are still told apart then."""

MAX_FORKS = 7
"""Of branches nested deeper than this on unknown conditions, one side alone is replayed."""


class Raised(Exception):
    """The program raises: `value` is the exception (an Instance of its class, or Unknown), `name` its class's name.

    `failures` are told once no handler of the program has caught it.
    """

    def __init__(self, value: Value = None, name: str = "Exception", failures: Sequence[Failure] = ()) -> None:
        super().__init__(name)
        self.value = value
        self.name = name
        self.failures = failures


class Outcome:
    """How a statement ended, other than by going on (`statements.py`)."""

    __slots__ = ()


class Exhausted(Exception):
    """The work allowed for an entry point is done: what is known so far stands, the rest stays unknown."""


class Dead(Exception):
    """No path leads on from here, and nothing was raised that a handler could see."""


Store = MutableMapping[Any, Value]
Change = tuple[Store, Hashable, Value]
Guards = tuple[tuple[Cond, bool], ...]
"""Answers to open conditions, on which an alternative rests."""


class State:
    """The trail of writes and the assumptions of the path being replayed.

    `notes` are the writes that no branch undoes, only the way back before a whole step of the replay.

    `splits` are the alternatives of values that are being followed one by one: unlike the branches that
    lead to a statement, a failure there rests on them. `sides` are the sides of the open branches, and `held`
    tells of each whether it is the only one that is replayed (`hold`). `on_lost` hears of an error that ends
    one side of a branch, `on_both` makes one of the errors that end both.
    """

    def __init__(self) -> None:
        self.trail: list[Change] = []
        self.notes: list[tuple[Any, Any, Value]] = []
        self.assumed: dict[Hashable, bool] = {}
        self.splits: list[tuple[Cond, bool]] = []
        self.held: list[bool] = []
        self.sides: list[tuple[Cond, bool]] = []
        self.on_lost: Callable[[Raised], None] = lambda error: None
        self.on_both: Callable[[Exception, Exception], Exception] = lambda first, second: first

    # -- writes ---------------------------------------------------------------------------------

    def set(self, store: Store, key: Hashable, value: Value) -> None:
        """Write `store[key] = value` so that it can be undone."""
        self.trail.append((store, key, store.get(key, ABSENT)))
        store[key] = value

    def delete(self, store: Store, key: Hashable) -> None:
        """Remove `store[key]`, which must be there."""
        self.trail.append((store, key, store.pop(key)))

    def put(self, obj: Object, key: Hashable, value: Value) -> None:
        """Write a slot of an object's state."""
        self.set(obj.d, key, value)

    def note(self, obj: Any, name: str, value: Value) -> None:
        """Set an attribute that stays when a branch is undone (a label, what a generator has come to)."""
        self.notes.append((obj, name, getattr(obj, name)))
        setattr(obj, name, value)

    def note_item(self, store: Store, key: Hashable, value: Value) -> None:
        """Like `note`, for an item of a dict."""
        self.notes.append((store, key, store.get(key, ABSENT)))
        store[key] = value

    def forget(self, mark: int) -> None:
        """Undo all that was noted since `mark`."""
        while len(self.notes) > mark:
            obj, name, old = self.notes.pop()
            if type(obj) is not dict:
                setattr(obj, name, old)
            elif old is ABSENT:
                del obj[name]
            else:
                obj[name] = old

    def rewind(self, mark: int) -> dict[tuple[int, Hashable], Change]:
        """Undo all writes since `mark`; the values that they left, by place."""
        changes: dict[tuple[int, Hashable], Change] = {}
        trail = self.trail
        while len(trail) > mark:
            store, key, old = trail.pop()
            place = (id(store), key)
            if place not in changes:
                changes[place] = (store, key, store.get(key, ABSENT))
            if old is ABSENT:
                store.pop(key, None)
            else:
                store[key] = old
        return changes

    def changed_since(self, mark: int) -> dict[tuple[int, Hashable], Change]:
        """The places written since `mark`, each with the value that it had then."""
        changes: dict[tuple[int, Hashable], Change] = {}
        for store, key, old in self.trail[mark:]:
            changes.setdefault((id(store), key), (store, key, old))
        return changes

    # -- assumptions ----------------------------------------------------------------------------

    def assume(self, cond: Cond, holds: bool) -> None:
        """Take `cond` as answered for the rest of this path."""
        self.set(self.assumed, cond.key, holds)

    def resolve(self, value: Value) -> Value:
        """The value under the present assumptions; a Phi only where its condition is open."""
        while type(value) is Phi:
            holds = self.assumed.get(value.cond.key)
            if holds is None:
                return value
            value = value.then if holds else value.orelse
        return value

    # -- branches -------------------------------------------------------------------------------

    def fork(self, cond: Cond, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
        """Replay both answers of `cond` and join them; the joined result.

        A side that raises ends there: the path goes on with the other side, its answer assumed. Raises
        `Raised` only where both sides do.
        """
        known = self.assumed.get(cond.key)
        if known is not None:
            return then() if known else orelse()
        if len(self.held) >= MAX_FORKS:
            self.assume(cond, False)
            return orelse()
        mark = len(self.trail)
        self.held.append(False)
        try:
            first, raised = self._side(cond, True, then)
            if self.held[-1]:
                return self._only(first, raised)
            first_changes = self.rewind(mark)
            second, raised_too = self._side(cond, False, orelse)
            if self.held[-1]:
                return self._only(second, raised_too)
        finally:
            self.held.pop()
        if raised_too is not None:
            self.rewind(mark)
            self._apply(first_changes)
            if raised is not None:
                raise self.on_both(raised, raised_too)
            self._tell(raised_too)
            self.assume(cond, True)
            return first
        if raised is not None:
            self._tell(raised)
            return second
        second_changes = self.rewind(mark)
        self._join(cond, first_changes, second_changes)
        return self.merge(cond, first, second)

    def _side(self, cond: Cond, holds: bool, run: Callable[[], Value]) -> tuple[Value, Exception | None]:
        self.assume(cond, holds)
        self.sides.append((cond, holds))
        try:
            return run(), None
        except (Raised, Dead) as e:
            return None, e
        finally:
            self.sides.pop()

    def hold(self) -> None:
        """Keep what the open branches have done so far: others go on from here, so that it can't be undone."""
        self.held[:] = [True] * len(self.held)

    @staticmethod
    def _only(value: Value, raised: Exception | None) -> Value:
        if raised is not None:
            raise raised
        return value

    def _tell(self, error: Exception) -> None:
        if isinstance(error, Raised):
            self.on_lost(error)

    def _apply(self, changes: dict[tuple[int, Hashable], Change]) -> None:
        for store, key, value in changes.values():
            if value is ABSENT:
                if key in store:
                    self.delete(store, key)
            else:
                self.set(store, key, value)

    def _join(
        self,
        cond: Cond,
        first: dict[tuple[int, Hashable], Change],
        second: dict[tuple[int, Hashable], Change],
    ) -> None:
        assumed = id(self.assumed)
        for place in dict.fromkeys((*first, *second)):
            if place[0] == assumed:
                continue
            store, key, _ = first.get(place) or second[place]
            base = store.get(key, ABSENT)
            a = first[place][2] if place in first else base
            b = second[place][2] if place in second else base
            value = self.merge(cond, a, b)
            if value is not base:
                if value is ABSENT:
                    self.delete(store, key)
                else:
                    self.set(store, key, value)

    def merge(self, cond: Cond, a: Value, b: Value) -> Value:
        """`a` where `cond` holds and `b` elsewhere. What is bound on one side alone counts as bound."""
        if a is b or b is ABSENT:
            return a
        if a is ABSENT:
            return b
        if type(a) is type(b):
            if type(a) is tuple:
                if len(a) == len(b):
                    return tuple(self.merge(cond, x, y) for x, y in zip(a, b, strict=True))
            elif a == b or (type(a) is Unknown and a.key == b.key):
                return a
        phi = Phi(cond, self._under(a, cond, True), self._under(b, cond, False))
        return phi if phi.size <= MAX_ALTERNATIVES else prune(phi, KEPT_DEPTH)

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

        def side(alternative: Value, holds: bool) -> Value:
            self.splits.append((cond, holds))
            try:
                return self.each(alternative, run)
            finally:
                self.splits.pop()

        then, orelse = value.then, value.orelse
        return self.fork(cond, lambda: side(then, True), lambda: side(orelse, False))

    def each_way(self, value: Value, make: Callable[[Value], Value]) -> Value:
        """What `make` makes of the value, or of each alternative of a Phi, of which none is assumed."""
        value = self.resolve(value)
        if type(value) is not Phi:
            return make(value)
        return Phi(value.cond, self.each_way(value.then, make), self.each_way(value.orelse, make))

    @staticmethod
    def where(value: Value, sides: Sequence[tuple[Cond, bool]], other: Value) -> Value:
        """The value on these sides of branches, and something else on the others."""
        for cond, holds in reversed(sides):
            value = Phi(cond, value, other) if holds else Phi(cond, other, value)
        return value

    def alternatives(self, value: Value, guards: Guards = ()) -> list[tuple[Guards, Value]]:
        """All values that `value` can be here, each with the open conditions that it takes."""
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


def leaves(value: Value) -> list[Value]:
    """All alternatives of a value."""
    if type(value) is Phi:
        return leaves(value.then) + leaves(value.orelse)
    return [value]


def prune(value: Value, depth: int) -> Value:
    """The alternatives of the latest branches; those of older ones as one value."""
    if type(value) is not Phi:
        return value
    if depth == 0:
        return widen(value)
    return Phi(value.cond, prune(value.then, depth - 1), prune(value.orelse, depth - 1))


def widen(value: Phi) -> Value:
    """One value that stands for all alternatives: bounds of a version, a node without a past, else unknown."""
    every = leaves(value)
    if all(v is every[0] for v in every):
        return every[0]
    if any(isinstance(v, Outcome) for v in every):
        return None if None in every else every[0]
    if all(isinstance(v, Version) for v in every):
        high = None if any(v.high is None for v in every) else max(v.high for v in every)
        return Version(min(v.low for v in every), high)
    if all(isinstance(v, Node) and v.when is True for v in every):
        return Node("", None, max(v.order for v in every), (), True)
    return Unknown("one of many values")
