"""Steps: the pieces that a replay is made of, what each depends on and gives, and the way back before one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Set

    from ...syntax import ir
    from ...syntax.chunks import Source
    from ...syntax.text import Excerpt
    from .report import Assumption, Failure, Leaf, Stop, Told

Import = tuple[str, int, str]
"""A module's dotted name, the dots before it, and the file that imports it."""


class Mark(NamedTuple):
    """How far the records of a machine had come at a moment that it can go back to."""

    trail: int
    notes: int
    nodes: int
    loaded: int
    spaces: int
    turns: int
    applied: int


@dataclass(frozen=True, slots=True)
class Familiar:
    """Functions that steps have entered, statements that they have come to, and how long it pays to go there again."""

    functions: Set[ir.Node]
    statements: Set[ir.Stmt]
    patience: int


@dataclass(slots=True, eq=False)
class Step:
    """A piece of a replay, from `mark` on: a statement of a file, or a class or function that is entered.

    `bodies` and `imports` are what it has seen of the program: functions with the statements that they had, and
    what imports gave. While that is the same, and so are the steps before, another run would give the same.
    """

    key: object
    mark: Mark
    unentered: Hashable = None
    """of a class or function that is entered: what nothing has entered before"""
    bodies: dict[ir.FunctionDef, list[ir.Stmt]] = field(default_factory=dict)
    imports: dict[Import, Loaded | None] = field(default_factory=dict)
    executed: set[ir.Node] = field(default_factory=set)
    reached: set[ir.Stmt] = field(default_factory=set)
    familiar: Familiar | None = None
    """of these, what steps before it had run: it spends less on that"""
    granted: Assumption | None = None
    """what it takes for granted of a call that it has left"""
    failures: list[Failure] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    trained: set[Leaf] = field(default_factory=set)
    """the leaves that a backward has given a gradient"""
    differentiated: set[Excerpt] = field(default_factory=set)
    """the text of the functions, and of what has called them, that a backward has gone through"""
    stops: dict[Stop, None] = field(default_factory=dict)
    done: set[ir.Stmt] = field(default_factory=set)
    """statements that it has replayed to their end"""
    entered: set[Excerpt | ir.Node] = field(default_factory=set)
    """the text of the forwards that it has trained for their own sake, and the classes of these modules"""
    told: dict[ir.Stmt, Told] = field(default_factory=dict)
    cost: int = 0
    ended: bool = False
    """the program ended here: the file's further statements don't run"""
    suspended: bool = False
    """generators stood in the middle when it began: there is no way back to them"""


class Loaded(NamedTuple):
    """A file of the program, and the statements that it had."""

    path: str
    body: tuple[ir.Stmt, ...]


def loaded(source: Source | None) -> Loaded | None:
    """What an import gave."""
    return None if source is None else Loaded(source.path, tuple(source.body))
