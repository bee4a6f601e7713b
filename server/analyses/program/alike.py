"""Whether a step that was run again has left what it left before, but for which objects are behind it.

    net = Net()         # a step; then somebody edits a comment, a message or a local variable in `Net.__init__`
    train(net)          # has run nothing that was edited: it need not run again, if `net` is as it was

Each run makes objects of its own, with numbers of their own (`values.serial`). Two runs are alike if each object of the
one stands for one of the other: they hold the same, in the same order, all the way down. Then what was left before may
stay, and so may all that rests on it. What was there before both runs has to be the same object. Where it isn't known
what something holds (generators, say), two runs are not alike.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from itertools import pairwise
from types import FunctionType, MemberDescriptorType, MethodType
from typing import TYPE_CHECKING, Any

from ...syntax import ir
from ...syntax.text import Excerpt
from ..domain.trail import Grown
from ..domain.values import CONSTANTS, Cond, Generator, Moment, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..domain.steps import Step, Undone

Entry = tuple[Any, Value]
"""A name, a key or a slot, and what is there."""

PAIRS = 30
"""pairs of values that are compared in about a quarter of the time of a statement's replay"""


def alike(old: Step, was: Undone, new: Step, undone: Undone, worth: int) -> bool:
    """Whether two steps have left the same; both are taken back, and `was` and `undone` is what it takes to do them.

    They have made as many nodes. False, too, where it takes too long to tell: what rests on them is `worth` so many
    statements.
    """
    return Comparison(Run(old, was), Run(new, undone)).holds(PAIRS * worth)


class Run:
    """One run of a step, taken back: what it had written, by the place."""

    def __init__(self, step: Step, undone: Undone) -> None:
        self.step = step
        self.undone = undone
        self.written: defaultdict[int, dict[Any, Value]] = defaultdict(dict)
        self.stores: dict[int, Any] = {}
        for store, key, value in (*undone.trail, *undone.notes):
            self.stores[id(store)] = store
            self.written[id(store)][name_of(key)] = value

    def fields(self, what: Any) -> list[Entry]:
        """What a record held when the step had run."""
        written = self.written.get(id(what), {})
        names = slots(type(what)) or ()
        return [(name, written[name] if name in written else getattr(what, name, None)) for name in names]

    def items(self, what: dict[Any, Value]) -> list[Entry]:
        """What a dict held when the step had run."""
        return list({**what, **self.written.get(id(what), {})}.items())


class Comparison:
    """Compares two runs: pairs of what stands for each other, found from what both have written alike."""

    def __init__(self, old: Run, new: Run) -> None:
        self.old, self.new = old, new
        self.todo: list[tuple[Value, Value]] = []
        self.pairs: dict[int, int] = {}
        self.back: dict[int, int] = {}
        self.numbers: dict[str, dict[int, int]] = {"serial": {}, "order": {}, "run": {}}
        self.ids: list[tuple[int, int]] = []

    def holds(self, most: int) -> bool:
        """Whether the runs are alike, as so many pairs tell."""
        return self.roots() and self.walk(most) and self.closed()

    def members(self, one: Value, other: Value, members: list[tuple[Value, Value]], most: int) -> bool:
        """Whether members of two classes that stand for each other are alike, as so many pairs tell."""
        self.pairs[id(one)], self.back[id(other)] = id(other), id(one)
        self.todo += members
        return self.walk(most) and self.closed()

    def roots(self) -> bool:
        """Begin with what both have written to what was there before, the graph, and what was only added."""
        self.todo += zip(self.old.undone.nodes, self.new.undone.nodes, strict=True)
        added = zip(self.old.undone.added, self.new.undone.added, strict=True)
        both = self.old.written.keys() & self.new.written.keys()
        written = (
            (self.old.stores[place], [*self.old.written[place].items()], [*self.new.written[place].items()])
            for place in both
        )
        return all(self.entries(*pair) for pair in added) and all(
            self.entries(some, others) if isinstance(store, dict) else self.named(some, others)
            for store, some, others in written
        )

    def closed(self) -> bool:
        """Whether nothing else was written, and numbers stand for each other in their order."""
        for run, found in ((self.old, self.pairs), (self.new, self.back)):
            both = self.old.written.keys() & self.new.written.keys()
            for place, store in run.stores.items():
                if place not in both and place not in found and not run.step.is_maker(store):
                    return False
        if any(self.pairs.get(one) != other for one, other in self.ids):
            return False
        for known in self.numbers.values():
            others = [known[one] for one in sorted(known)]
            if any(a >= b for a, b in pairwise(others)):
                return False
        return True

    def walk(self, most: int) -> bool:
        """Compare pair by pair, and what each holds."""
        for _ in range(most):
            if not self.todo:
                return True
            if not self.compare(*self.todo.pop()):
                return False
        return False

    def compare(self, one: Value, other: Value) -> bool:
        """Whether two values may stand for each other; what they hold is to be compared then."""
        kind = type(one)
        if one is other:
            return True
        if kind is not type(other):
            return False
        if kind is Moment:
            return self.number(one, other)
        if kind in CONSTANTS:
            return repr(one) == repr(other) if kind in (float, complex) else bool(one == other)
        if kind in (tuple, list, Grown):
            self.todo += zip(one, other, strict=False)
            return len(one) == len(other)
        if kind in (frozenset, set):
            return one == other or self.answers(one, other)
        if id(one) in self.pairs or id(other) in self.back:
            return self.pairs.get(id(one)) == id(other)
        self.pairs[id(one)], self.back[id(other)] = id(other), id(one)
        if self.old.step.is_maker(one) is False or self.new.step.is_maker(other) is False:
            return False
        return self.contents(kind, one, other)

    def contents(self, kind: type[Any], one: Any, other: Any) -> bool:
        """Whether what two things hold may stand for each other."""
        if kind in _CODE:
            return _CODE[kind](self, one, other)
        if slots(kind) is None or isinstance(one, _FIXED):
            return False
        if isinstance(one, dict) and not self.entries(self.old.items(one), self.new.items(other)):
            return False
        return self.named(self.old.fields(one), self.new.fields(other))

    def entries(self, some: list[Entry], others: list[Entry]) -> bool:
        """Whether what stands under keys may stand for each other, one after the other."""
        if len(some) != len(others):
            return False
        self.todo += ((value, there) for (_, value), (_, there) in zip(some, others, strict=True))
        return all(self.key(key, other) for (key, _), (other, _) in zip(some, others, strict=True))

    def named(self, some: list[Entry], others: list[Entry]) -> bool:
        """Whether the fields of two records may stand for each other: some are numbers of their own."""
        if [name for name, _ in some] != [name for name, _ in others]:
            return False
        for (name, value), (_, there) in zip(some, others, strict=True):
            if name not in _NUMBERED:
                self.todo.append((value, there))
            elif not _NUMBERED[name](self, value, there):
                return False
        return True

    def key(self, one: Any, other: Any) -> bool:
        """Whether two keys, of unknown values or in a dict, stand for each other: numbers of objects may differ."""
        todo = [(one, other)]
        seen: dict[tuple[int, int], tuple[Any, Any]] = {}
        while todo:
            one, other = todo.pop()
            if type(one) is tuple and type(other) is tuple and len(one) == len(other):
                if (id(one), id(other)) in seen:  # parts of a key stand in many places of it
                    continue
                seen[id(one), id(other)] = one, other
                if one and one[0] == "const":
                    if one != other:
                        return False
                elif one and one[0] == "turn":
                    if not self.number(one[1], other[1], "run") or one[2:] != other[2:]:
                        return False
                else:
                    todo += zip(one, other, strict=True)
            elif type(one) is type(other) and type(one) in (int, Moment):
                if not self.number(one, other):
                    self.ids.append((one, other))  # `id` of something, perhaps
            else:
                self.todo.append((one, other))
        return True

    def answers(self, some: frozenset[Any] | set[Any], others: frozenset[Any] | set[Any]) -> bool:
        """Whether what is in two sets, questions with their answers above all, may stand for each other."""
        if len(some) != len(others):
            return False
        both = list(zip(sorted(some, key=shape), sorted(others, key=shape), strict=True))
        self.todo += (pair for pair in both if type(pair[0]) is not tuple)
        return all(self.key(*pair) for pair in both if type(pair[0]) is tuple)

    def number(self, one: int, other: int, of: str = "serial") -> bool:
        """Whether two numbers of objects stand for each other."""
        if one == other:
            return True
        if of == "serial" and not (
            self.old.step.born <= one <= self.old.step.until and self.new.step.born <= other <= self.new.step.until
        ):
            return False
        known: int = self.numbers[of].setdefault(one, other)
        return known == other

    def turns(self, some: Any, others: Any) -> bool:
        """Whether the turns of loops stand for each other."""
        return len(some) == len(others) and all(
            self.number(*runs, of="run") and turns[0] == turns[1]
            for runs, turns in (zip(a, b, strict=True) for a, b in zip(some, others, strict=True))
        )

    def function(self, one: FunctionType, other: FunctionType) -> bool:
        """Whether two of our own functions do the same: what they close over is compared."""
        self.todo.append((one.__defaults__, other.__defaults__))
        cells = [[cell.cell_contents for cell in f.__closure__ or ()] for f in (one, other)]
        self.todo.append((cells[0], cells[1]))
        return one.__code__ is other.__code__ and one.__kwdefaults__ is other.__kwdefaults__ is None

    def method(self, one: MethodType, other: MethodType) -> bool:
        """Whether two of our own methods do the same."""
        self.todo += ((one.__self__, other.__self__), (one.__func__, other.__func__))
        return True

    def partial(self, one: partial[Any], other: partial[Any]) -> bool:
        """Whether two partial applications do the same."""
        self.todo += ((one.func, other.func), (one.args, other.args))
        return self.entries(list(one.keywords.items()), list(other.keywords.items()))


def name_of(key: Any) -> Any:
    """The name of a slot; any other key itself."""
    return key.__name__ if isinstance(key, MemberDescriptorType) else key


def shape(key: Any) -> tuple[str, list[int]]:
    """What two runs sort the same keys by: the key without its numbers, and these, which keep their order.

    A part that stands in many places is written once.
    """
    words: list[str] = []
    numbers: list[int] = []
    seen: dict[int, int] = {}
    todo = [key]
    while todo:
        one = todo.pop()
        if type(one) is tuple and one[:1] != ("const",):
            if id(one) in seen:
                words.append(f"={seen[id(one)]}")
                continue
            seen[id(one)] = len(seen)
            words.append(f"({len(one)}")
            todo += one
        elif type(one) in (int, Moment):
            numbers.append(one)
            words.append("#")
        elif type(one) is Cond:
            todo.append(one.key)
        else:
            words.append(repr(one) if type(one) in CONSTANTS or type(one) is tuple else type(one).__name__)
    return " ".join(words), numbers


def slots(kind: type[Any]) -> tuple[str, ...] | None:
    """The fields of a record; None of something that may hold more."""
    if kind not in _SLOTS:
        written = [vars(one).get("__slots__") for one in kind.__mro__ if one not in (object, dict)]
        known = [(one,) if isinstance(one, str) else one for one in written if one is not None]
        _SLOTS[kind] = None if len(known) < len(written) else tuple(name for names in known for name in names)
    return _SLOTS[kind]


_SLOTS: dict[type[Any], tuple[str, ...] | None] = {}

_FIXED = (ir.Node, ir.Params, Excerpt, Generator)
"""the text of the program, which is the same or another one, and what goes on from where it stands"""

_CODE: dict[type[Any], Callable[[Comparison, Any, Any], bool]] = {
    FunctionType: Comparison.function,
    MethodType: Comparison.method,
    partial: Comparison.partial,
}

_NUMBERED: dict[str, Callable[[Comparison, Any, Any], bool]] = {
    "uid": Comparison.number,
    "born": Comparison.number,
    "named_by": Comparison.number,
    "unsure": Comparison.number,
    "key": Comparison.key,
    "hash": lambda _, one, other: True,
    "order": lambda comparison, one, other: comparison.number(one, other, "order"),
    "iterations": Comparison.turns,
}
"""fields that are numbers of their own in each run, or hold some"""
