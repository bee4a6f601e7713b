"""Steps: the pieces that a replay is made of, what each depends on and leaves, and the way back before one.

    from helpers import scale   # a step: looks up `scale` in the `Globals` of `helpers`, which notes that in `touched`
    y = scale(x)                # a step: runs the body of `scale`, which is noted in `bodies`

If none of what a step depends on has changed, it would do the same again, and is not run again.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .report import MAX_BRANCHES
from .values import Cond, Moment, Names, Shared, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Set

    from ...syntax import ir
    from ...syntax.chunks import Source
    from ...syntax.text import Excerpt
    from .report import Failure, Leaf, Stop, Told

Place = tuple[Any, Hashable]
"""A dict of the names of a module or class and one of them, or something else that is looked up by a name."""

Import = tuple[str, int, str]
"""A module's dotted name, the dots before it, and the file that imports it."""


ANY = ("any name",)
"""in place of a name that is looked up: all of them are"""


class Noted(dict[Any, Value]):
    """Names of the program; those that are looked up are noted in `seen`, ANY where all of them are."""

    __slots__ = ()

    seen: set[Place]

    __hash__ = object.__hash__  # type: ignore[assignment]

    def get(self, name: Any, default: Value = None) -> Value:
        """What a name is bound to."""
        self.seen.add((self, name))
        return dict.get(self, name, default)

    def __contains__(self, name: object) -> bool:
        self.seen.add((self, name))
        return dict.__contains__(self, name)

    def __getitem__(self, name: Any) -> Value:
        self.seen.add((self, name))
        return dict.__getitem__(self, name)

    def __iter__(self) -> Iterator[Any]:
        self.seen.add((self, ANY))
        return dict.__iter__(self)

    def __len__(self) -> int:
        self.seen.add((self, ANY))
        return dict.__len__(self)

    def keys(self) -> Any:
        """All names."""
        self.seen.add((self, ANY))
        return dict.keys(self)

    def values(self) -> Any:
        """What all names are bound to."""
        self.seen.add((self, ANY))
        return dict.values(self)

    def items(self) -> Any:
        """All names with what they are bound to."""
        self.seen.add((self, ANY))
        return dict.items(self)


class Globals(Noted):
    """The names of a module."""

    __slots__ = ("seen",)

    def __init__(self, seen: set[Place]) -> None:
        self.seen = seen


class Members(Noted, Shared):
    """The attributes of a class of the file that is replayed."""

    __slots__ = ("seen",)

    def __init__(self, seen: set[Place], born: int) -> None:
        super().__init__(born)
        self.seen = seen


Product = tuple[Any, frozenset[Any]]
"""The class of a module that a function makes, and the classes of modules that the function names."""


class Mark(NamedTuple):
    """The lengths of a machine's records at a moment that it can go back to."""

    trail: int
    notes: int
    nodes: int
    loaded: int
    spaces: int
    turns: int
    applied: int


class Undone(NamedTuple):
    """What was done in a piece of a replay, taken back: what it wrote and noted, and what it added."""

    trail: list[tuple[Any, Any, Any]]
    notes: list[tuple[Any, Any, Any]]
    nodes: list[Any]
    added: tuple[list[tuple[Any, Any]], ...]


@dataclass(frozen=True, slots=True)
class Familiar:
    """Functions that steps have entered, and statements that they have reached.

    `patience` is how many steps another visit of such a function has, `building` how many one of a constructor has.
    `saves`: which of its arguments a module's forward saves for backward, by their parameters.
    """

    functions: Set[ir.Node]
    statements: Set[ir.Stmt]
    patience: int
    building: int
    saves: Mapping[ir.Node, frozenset[str]]


@dataclass(slots=True)
class Earlier:
    """What the parts of an entry point have come to so far: the next one goes on from there."""

    executed: set[ir.Node] = field(default_factory=set)
    reached: set[ir.Stmt] = field(default_factory=set)
    entered: set[Excerpt | ir.Node] = field(default_factory=set)
    in_training: set[ir.Node] = field(default_factory=set)
    """what a module's step of training has run"""
    cost: int = 0
    """how many steps of the replay they have taken"""
    open_branches: bool = False
    """whether branches were given up, or something fails only where many are taken, or on a guess"""

    def add(self, step: Step) -> None:
        """One more part has run."""
        self.cost += step.cost
        self.executed |= step.executed
        self.reached |= step.reached
        self.entered |= step.entered
        if step.key == TRAINING:
            self.in_training = step.executed
        self.open_branches |= any(stop.why == "branches" for stop in step.stops)
        self.open_branches |= any(map(rests_on_many, step.failures))


TRAINING = "train"
"""the key of the part that trains a module"""


def rests_on_many(failure: Failure) -> bool:
    """Whether a failure rests on the answers of several branches, or on a guess."""
    kinds = [a.kind for a in failure.assumptions if not a.passed]
    return kinds.count("branch") > MAX_BRANCHES or "guess" in kinds


@dataclass(slots=True, eq=False)
class Step:
    """A piece of a replay, from `mark` on: a statement of a file, or a class or function that is entered.

    `bodies`, `imports` and `texts` are the parts of the program that it has seen: functions and classes with their
    statements, the results of imports, and docstrings. As long as these and the earlier steps stay the same, another
    run would give the same.
    """

    key: object
    mark: Mark
    earlier: Earlier | None = None
    """if it is a part of an entry point: what those before it have come to"""
    rests_on: Hashable = None
    """what it has taken from that"""
    bodies: dict[ir.FunctionDef | ir.ClassDef, list[ir.Stmt]] = field(default_factory=dict)
    imports: dict[Import, Loaded | None] = field(default_factory=dict)
    texts: dict[ir.Stmt, str] = field(default_factory=dict)
    executed: set[ir.Node] = field(default_factory=set)
    """the functions, classes and loops that it has run"""
    reached: set[ir.Stmt] = field(default_factory=set)
    familiar: Familiar | None = None
    """those among them that earlier steps had run: it spends less on these"""
    failures: list[Failure] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    trained: set[Leaf] = field(default_factory=set)
    """the leaves that a backward has given a gradient"""
    differentiated: set[Excerpt] = field(default_factory=set)
    """the text of the functions that a backward has gone through, and of their callers"""
    stops: dict[Stop, None] = field(default_factory=dict)
    done: set[ir.Stmt] = field(default_factory=set)
    """statements that it has replayed to their end"""
    entered: set[Excerpt | ir.Node] = field(default_factory=set)
    """the text of the forwards that were trained directly, and the classes of these modules"""
    made: set[Product] = field(default_factory=set)
    """what a function that was entered has made, and was trained then"""
    saves: dict[ir.Node, frozenset[str]] = field(default_factory=dict)
    """which of its arguments the forward of a module saves for backward, by their parameters"""
    told: dict[ir.Stmt, Told] = field(default_factory=dict)
    born: int = 0
    until: int = 0
    """the numbers of the moments when it began and ended (`values.serial`)"""
    place: float = 0
    """where it stands among the others, by when these began"""
    touched: frozenset[Place] = frozenset()
    """the names that it has looked up, or bound"""
    heap: frozenset[Place] = frozenset()
    """of these, those behind which something is that can be changed"""
    allowed: int = 0
    """how much it could have cost"""
    cost: int = 0
    ended: bool = False
    """the program ended here: the file's further statements don't run"""
    suspended: bool = False
    """some generators were suspended when it began: there is no way back to before it"""

    def stand_for(self, old: Step) -> None:
        """Stand in the place of a step that has made what was kept."""
        self.born, self.until, self.place = old.born, old.until, old.place
        self.touched |= old.touched
        self.heap |= old.heap

    def is_maker(self, what: Any) -> bool | None:
        """Whether it has made something itself; None of what doesn't tell when it was made."""
        born = what.born if isinstance(what, (Names, Unknown)) else getattr(what, "uid", None)
        return None if born is None else self.born <= born <= self.until


class Shelved(NamedTuple):
    """A step that was taken back, and what it had done."""

    step: Step
    undone: Undone


def is_made_by(step: Step, what: Any) -> bool:
    """Whether a step has made something itself: what it then does with it changes nothing that was there before.

    A key of a question or of an unknown value, as a tuple, was made when the newest of what it names was.
    """
    if isinstance(what, tuple):
        return any(step.born <= made <= step.until for made in moments(what))
    return bool(step.is_maker(what))


def keys_of(key: Any) -> tuple[Any]:
    """What something is noted under: of an unknown value, what identifies that."""
    return (key.key if isinstance(key, Unknown) else key,)


def moments(key: Hashable) -> Iterator[int]:
    """When the unknown values were made that a key names; what it has in many places is looked at once."""
    todo: list[Any] = [key]
    seen: dict[int, Any] = {}
    while todo:
        one = todo.pop()
        kind = type(one)
        if kind in (int, Moment):
            yield one
        elif isinstance(one, Cond):
            todo.append(one.key)
        elif isinstance(one, (tuple, frozenset)) and one and id(one) not in seen:
            seen[id(one)] = one
            todo += _named_by(one) if isinstance(one, tuple) else one  # of answers that have ended the program together


def _named_by(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parts of a key that name something: constants, turns and an item's place do not."""
    if key[0] in ("const", "turn"):
        return ()
    return key[:2] if key[0] == "item" else key


class Loaded(NamedTuple):
    """A file of the program, and the statements that it had; None where it doesn't matter which."""

    path: str
    body: tuple[ir.Stmt, ...] | None


def loaded(source: Source | None, whole: bool = True) -> Loaded | None:
    """What an import gave: the `whole` of a file, or a file that runs or has run already."""
    return None if source is None else Loaded(source.path, tuple(source.body) if whole else None)
