"""What a step has changed, taken back and done again; and where a step that was run again has left something else.

A program finds what earlier steps have left by the names of its modules and classes, and nowhere else: these names are
looked up in `Globals` and `Members`, which note it. What is behind a name and can be changed, an object or a tensor, is
one with all else that a step had in its hands together with it. So a step that has looked up none of the names that
have changed would do again what it did. What can be told neither by names nor by what is behind them (modes of
autograd, what has ended the program) leaves nothing that holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...syntax import ir
from ..domain import budget
from ..domain.modules import is_model
from ..domain.steps import ANY, Noted, Shelved, is_made_by, keys_of
from ..domain.trail import Grown, noted_in
from ..domain.values import ABSENT, SUBCLASSES, ClassV, FunctionV, Shared, Value
from .alike import alike
from .amended import amended
from .sameness import DEFINITIONS, Kinds, is_same

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set

    from ..domain.steps import Place, Step, Undone
    from ..python.machine import Machine


@dataclass(slots=True)
class Left:
    """What a step has left: names with their values, what tells of statements, and what cannot be told apart.

    `names` also has modules by their paths, the subclasses of classes and what documents them; each with what was
    there `before`, of a step that has just run. It `changes` things that were there before, behind names.
    """

    names: dict[Place, Value] = field(default_factory=dict)
    told: set[ir.Stmt] = field(default_factory=set)
    other: dict[tuple[int, Any], tuple[Any, Any, Value]] = field(default_factory=dict)
    before: dict[tuple[int, Any], Value] = field(default_factory=dict)
    changes: bool = False


def left_by(m: Machine, step: Step, undone: Undone | None = None) -> Left:
    """What a step has left, which has just run, or was `undone`."""
    own = {id(store) for one in m.parts for store in vars(one).values() if type(store) is dict}
    own |= {id(one) for one in m.parts}
    keyed = own | {id(m.read), id(m.tensors), id(m.used)}
    own -= {id(m.taken)}  # what is noted of classes is found by way of it
    left, last = Left(), id(m.trace.last)
    changed = m.changed_since(step.mark) if undone is None else (*undone.trail, *undone.notes)
    for store, key, value in changed:
        if id(store) in keyed and is_made_by(step, keys_of(key)):
            continue
        if isinstance(store, Noted) or key is SUBCLASSES or (type(store) is Shared and key == "__doc__"):
            left.names[store, key] = tuple(value) if type(value) is Grown else value
        elif id(store) == last:
            left.told.add(key)
        elif id(store) in own or is_definition(store, step.born):
            if counts(key, value):
                left.other[id(store), key] = (store, key, True if key == "unsure" else value)
        elif not is_made_by(step, store):
            left.changes = True
    for store, key, value in m.before(step.mark) if undone is None else ():
        left.before.setdefault((id(store), key), value)
    loaded, spaces, *_ = m.added_since(step.mark) if undone is None else undone.added
    left.names.update(((m.files.loaded_names, path), module) for path, module in loaded)
    left.other.update(((id(m.files.spaces), name), (m.files.spaces, name, module)) for name, module in spaces)
    return left


def counts(key: Any, value: Value) -> bool:
    """Whether what a step has left matters to others; of the steps that imports took, only many do."""
    return key != "imported" or bool(value > budget.LIMITS.entry_steps // 2)


def is_definition(store: Any, born: int) -> bool:
    """Whether it is of a class, a function or the like that was there at this moment: nobody expects it to change."""
    kind = type(store)
    if issubclass(kind, Shared):
        return bool(store.born < born)
    if kind is FunctionV or kind is ClassV:
        return bool(store.uid < born)
    return kind in DEFINITIONS


SPREAD = object()
"""what was behind a name, where that is still there and has changed"""


class Difference:
    """Where the state of a program is not what it was when steps ran that are to be done again.

    It differs in `names`, each with what was there (`SPREAD` where what is behind it has changed), and in what is known
    of the statements, functions and loops `told`; `lost`: it is not known where. `heaps` are the names that single
    steps had in their hands together, of what can be changed. Steps are `gone`, and others `ran`: what these have made
    is found by way of names that have changed.
    """

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.names: dict[Place, Value] = {}
        self.told: set[ir.Node] = set()
        self.lost = False
        self.heaps: list[frozenset[Place]] = []
        self.gone: list[Step] = []
        self.ran: list[Step] = []

    def concerns(self, step: Step) -> bool:
        """Whether a step may not do again what it did."""
        told = not (self.told.isdisjoint(step.reached) and self.told.isdisjoint(step.executed))
        return self.lost or told or not self.names.keys().isdisjoint(step.touched)

    def take(self, other: Difference, told: Set[ir.Node]) -> None:
        """Something more has changed, and the statements of which the files' own code has `told`."""
        self.names |= other.names
        self.told |= told
        self.lost |= other.lost

    def and_then(self, old: Shelved | None, new: Step) -> Difference:
        """The same, and that where `old` stood, `new` has just run."""
        more = Difference(self.m)
        more.take(self, self.told)
        more.heaps, more.gone, more.ran = list(self.heaps), list(self.gone), list(self.ran)
        more.add(old, new)
        return more

    def but_for_told(self) -> Difference:
        """The same without what is told of statements: what is told in the end may be as it was."""
        less = Difference(self.m)
        less.take(self, set())
        return less

    def add(self, old: Shelved | None, new: Step | None) -> None:
        """Where `old` stood, `new` has just run."""
        if self.lost:
            return
        was = left_by(self.m, *old) if old is not None else Left()
        now = left_by(self.m, new) if new is not None else Left()
        self.gone += [old.step] if old is not None else []
        self.ran += [new] if new is not None else []
        for store, key, *pair in self.pairs(was, now):
            if not is_same(*pair):
                self.differ(store, key)
        self.told |= was.told | now.told
        for place in was.names.keys() | now.names.keys():
            before = was.names.get(place, now.before.get((id(place[0]), place[1]), ABSENT))
            if place in self.names or not is_same(before, now.names.get(place, _NOWHERE)):
                self.change({place: before if place in was.names else self.names.get(place, before)})
        for step, left in ((old and old.step, was), (new, now)):
            if step is not None and step.heap:
                self.heaps.append(step.heap)
                if left.changes:
                    self.spread(step.heap)

    def differ(self, store: Any, key: Any) -> None:
        """Something else was left: of a loop or a function it concerns those that run it, else it is not known whom."""
        work = self.m.work
        own = isinstance(key, ir.Stmt) and not is_model(key.chunk)
        if store is work.long_loops or (store is work.tiring and own):
            self.told.add(key)
        else:
            self.lost = True

    def pairs(self, was: Left, now: Left) -> Iterator[tuple[Any, Any, Value, Value]]:
        """The places that no name leads to, with what one step has left there, and what another one has.

        What has been made since is found by way of names.
        """
        for place, (store, key, value) in was.other.items():
            other = now.other[place][2] if place in now.other else noted_in(store, key)
            if not is_made_within(self.gone, store, key):
                yield store, key, value, other
        for place, (store, key, value) in now.other.items():
            if place not in was.other and not is_made_within(self.ran, store, key):
                yield store, key, now.before.get(place, ABSENT), value

    def change(self, places: Mapping[Place, Value]) -> None:
        """There is something else in these places than what was there."""
        for place, value in places.items():
            self.names[place] = SPREAD if self.names.get(place) is SPREAD else value
            self.names[place[0], ANY] = SPREAD

    def spread(self, places: frozenset[Place]) -> None:
        """What is behind these names is changed, and with it what other steps had in their hands together with it."""
        reached, before = set(places), 0
        while len(reached) > before:
            before = len(reached)
            for heap in self.heaps:
                if not reached.isdisjoint(heap):
                    reached |= heap
        self.change(dict.fromkeys(reached, SPREAD))


class Shelf:
    """The steps that were taken back, in their order: those that rest on nothing that has changed are done again."""

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.steps: list[Shelved] = []
        self.places: dict[Hashable, int] = {}
        self.at = 0
        """how many of them were done again, or will not be"""
        self.expected: set[Hashable] = set()
        self.difference = Difference(m)

    def copy(self) -> Shelf:
        """Another shelf with the same steps."""
        same = Shelf(self.m)
        same.steps, same.places = list(self.steps), dict(self.places)
        return same

    def __bool__(self) -> bool:
        """Whether there are steps to do again."""
        return self.at < len(self.steps)

    def put(self, steps: Sequence[Step] | None) -> None:
        """Take back the last steps; None: there are some that cannot be done again.

        That is so, too, where generators stand in the middle, and where an earlier attempt was not finished.
        """
        m = self.m
        if steps is None or self or m.coroutines or any(step.suspended for step in steps) or not m.files.noting:
            self.steps, self.at, self.difference.lost = [], 0, True
            self.places.clear()
            return
        self.steps = [Shelved(step, m.take_back(step.mark)) for step in reversed(steps)][::-1]
        self.places = {shelved.step.key: i for i, shelved in enumerate(self.steps)}
        self.at = 0

    def expect(self, keys: Iterable[Hashable], known: Iterable[Step]) -> None:
        """The steps of the program as it is now, and those that have not been taken back."""
        self.expected = set(keys)
        self.difference.heaps = [step.heap for step in (*known, *(step for step, _ in self.steps)) if step.heap]

    def again(self, key: Hashable, allowed: int, is_fresh: Callable[[Step], bool]) -> Step | None:
        """Do a step again as it was; None where it has to run."""
        at = self.places.get(key, -1)
        if at < self.at:
            return None
        while self.at < at:
            self.drop()
        step, undone = self.steps[at]
        if step.allowed != allowed or not is_fresh(step) or self.difference.concerns(step):
            return None
        self.at += 1
        step.mark = self.m.mark()
        self.m.do_again(undone)
        return step

    def drop(self) -> None:
        """The next step is not there any more."""
        self.difference.add(self.steps[self.at], None)
        self.at += 1

    def replace(self, step: Step, is_fresh: Callable[[Step], bool], others: Iterable[Step] = ()) -> None:
        """A step has run, in the place of the next one if that is not there any more, or is the same.

        `others` were run in the state at the end, and are not on this shelf.
        """
        if not self.steps or self.difference.lost:
            return
        old = self.steps[self.at] if self else None
        if old is not None and old.step.key != step.key and old.step.key in self.expected:
            old = None
        self.at += old is not None
        members = amended(self.m, old, step) if old is not None else None
        difference = self.difference.and_then(old, step)
        if members is not None:
            difference.change(members)
            self.difference = difference
            return
        in_the_end = difference.but_for_told()
        rest = [one for one, _ in self.steps[self.at :] if self.loses(one, difference)]
        rest += [one for one in others if self.loses(one, in_the_end)]
        lost = sum(one.cost for one in rest if is_fresh(one))
        if old is not None and 4 * lost >= step.cost and self.take_over(old, step, lost):
            self.difference.heaps.append(step.heap)
            return
        if self:
            step.place = self.steps[self.at].step.place - 0.5
            self.m.explain.moved.append((step.born, step.until, step.place))
        self.difference = difference

    def loses(self, step: Step, difference: Difference) -> bool:
        """Whether a step could be done again but for what the last one has left."""
        return difference.concerns(step) and not self.difference.concerns(step)

    def take_over(self, old: Shelved, step: Step, worth: int) -> bool:
        """Do again what `old` did, in place of a step that has just run and has left the same; whether it has.

        To ask costs about a quarter of a run; `worth` is what it costs to run all that rests on it.
        """
        m = self.m
        if m.coroutines or len(m.grad.nodes) - step.mark.nodes != len(old.undone.nodes):
            return False
        undone = m.take_back(step.mark)
        if not alike(old.step, old.undone, step, undone, worth):
            m.do_again(undone)
            return False
        m.do_again(old.undone)
        step.stand_for(old.step)
        return True

    def close(self) -> Difference:
        """All steps have run; where the state is not what it was."""
        while self:
            self.drop()
        difference, self.difference, self.steps, self.at = self.difference, Difference(self.m), [], 0
        self.places.clear()
        return difference


def changeable(m: Machine, step: Step) -> frozenset[Place]:
    """The names that a step which has just run has looked up, and behind which something is, or was, that changes."""
    kinds, bound = Kinds(), m.state.trail[step.mark.trail :]
    now = (place for place in step.touched if not kinds.is_fixed(found(place)))
    before = ((store, key) for store, key, value in bound if isinstance(store, Noted) and not kinds.is_fixed(value))
    return frozenset((*now, *before))


def found(place: Place) -> Value:
    """What is in a place."""
    names, name = place
    return dict.get(names, name, ABSENT)


_NOWHERE = object()


def is_made_within(steps: Iterable[Step], store: Any, key: Any) -> bool:
    """Whether one of these steps has made what something was left in, or what a question was about."""
    return any(is_made_by(step, store) or is_made_by(step, keys_of(key)) for step in steps)
