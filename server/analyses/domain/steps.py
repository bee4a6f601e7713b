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
    """The lengths of a machine's records at a moment that it can go back to."""

    trail: int
    notes: int
    nodes: int
    loaded: int
    spaces: int
    turns: int
    applied: int


@dataclass(frozen=True, slots=True)
class Familiar:
    """Functions that steps have entered, statements that they have reached, and how much another visit is worth."""

    functions: Set[ir.Node]
    statements: Set[ir.Stmt]
    patience: int


@dataclass(slots=True, eq=False)
class Step:
    """A piece of a replay, from `mark` on: a statement of a file, or a class or function that is entered.

    `bodies` and `imports` are the parts of the program that it has seen: functions with their statements, and the
    results of imports. As long as these and the earlier steps stay the same, another run would give the same.
    """

    key: object
    mark: Mark
    unentered: Hashable = None
    """if it enters a class or function: the parts that nothing has entered before"""
    bodies: dict[ir.FunctionDef, list[ir.Stmt]] = field(default_factory=dict)
    imports: dict[Import, Loaded | None] = field(default_factory=dict)
    executed: set[ir.Node] = field(default_factory=set)
    reached: set[ir.Stmt] = field(default_factory=set)
    familiar: Familiar | None = None
    """those among them that earlier steps had run: it spends less on these"""
    granted: Assumption | None = None
    """what it assumes about a call that it has cut short"""
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
    told: dict[ir.Stmt, Told] = field(default_factory=dict)
    cost: int = 0
    ended: bool = False
    """the program ended here: the file's further statements don't run"""
    suspended: bool = False
    """some generators were suspended when it began: there is no way back to before it"""


class Loaded(NamedTuple):
    """A file of the program, with its statements at the time."""

    path: str
    body: tuple[ir.Stmt, ...]


def loaded(source: Source | None) -> Loaded | None:
    """The result of an import."""
    return None if source is None else Loaded(source.path, tuple(source.body))
