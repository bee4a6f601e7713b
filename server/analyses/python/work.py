"""The work of a replay: how many steps it has taken, and how many it may still take.

`domain/budget.py` has the bounds and their reasons. Three bounds hold at once:

    most        the steps that a statement of a file, or an entry point, has altogether
    patience    the steps in a row that it has without anything new: code that no step has reached before (`reach`)
    limit       where the replay stops: `most`, or earlier if the patience ends; each new statement moves it on

At the limit, `step` raises Exhausted. What the replay does then depends on what is running: a call that was only tried
is undone (`attempts.py`); otherwise the innermost statement is left and the next one gets some steps of its own
(`unfinished.py`, `grant`).
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..domain import budget
from ..domain.paths import Exhausted, Unwanted, always
from ..domain.values import serial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...syntax import ir
    from ..domain.here import Here
    from ..domain.paths import State
    from ..domain.steps import Familiar
    from ..domain.values import FunctionV, Value


@dataclass(slots=True, eq=False)
class Awaited:
    """What a decorator's wrapper is about to call, and how much was allowed before it began.

    `outer` is what a wrapper around it was about to call then.
    """

    node: ir.Node
    most: int
    limit: int
    outer: Awaited | None
    pending: bool = True


class Work:
    """The steps of one replay. `wanted` says whether the answer is still wanted.

    Steps that models of libraries take (`library_steps`) don't count for the program.
    """

    def __init__(self, here: Here, state: State) -> None:
        self.here = here
        self.state = state
        self.wanted: Callable[[], bool] = always
        self.steps = self.library_steps = 0
        self.limit = self.most = budget.LIMITS.entry_steps
        self.library_limit = 0
        self.patience: int | None = None
        self.usual: int | None = None
        """the patience outside familiar code"""
        self.familiar: Familiar | None = None
        """while an entry point runs: what others have run before"""
        self.news = 0
        """how many statements were reached for the first time"""
        self.newest = 0
        """the step that reached the last of them"""
        self.depth = 0
        """how many calls of the program's functions are open"""
        self.max_depth = budget.LIMITS.calls
        self.loop_until: int | None = None
        """the step up to which the present loop goes on with its actual values"""
        self.short = -1
        """behind a statement that was left: the depth of the calls whose statements get steps of their own"""
        self.anew = True
        """whether statements in deeper calls may be left, too"""
        self.tentative = 0
        """how many callers would rather undo everything than have a statement left"""
        self.awaited: Awaited | None = None
        """what the wrapper that is running is about to call"""
        self._asked_in, self._asked = -1, 0
        self.imported = 0
        """steps that imports have taken"""
        self.given_up = 0
        """how many calls, imports and statements were cut short because they would have taken too long"""
        self.too_long: dict[ir.Node, int] = {}
        """how many calls of a function in a row were cut short"""
        self.tiring: dict[ir.Node, bool] = {}
        """functions that have used up their steps"""
        self.long_loops: dict[ir.Node, int] = {}
        """how many turns with actual values were not enough for a loop to end"""

    def step(self) -> None:
        """Count a step; raises Exhausted if the budget is used up, Unwanted if the answer isn't wanted any more."""
        if self.here.in_model:
            self.library_steps += 1
        else:
            self.steps += 1
        if self.steps > self.limit or self.library_steps > self.library_limit:
            raise Exhausted
        if not (self.steps + self.library_steps) % budget.LIMITS.pulse and not self.wanted():
            self.wanted = always  # what is left to do is to clear up
            raise Unwanted

    @property
    def moment(self) -> int:
        """Distinguishes questions that are asked in different steps: when the first of the present one was asked."""
        if self._asked_in != (now := self.steps + self.library_steps):
            self._asked_in, self._asked = now, serial()
        return self._asked

    # -- what is allowed --------------------------------------------------------------------------

    def allow(self, steps: int, patience: int | None) -> None:
        """Allow this many steps from here on; with `patience`, only that many in a row without anything new."""
        self.most = self.steps + steps
        self.library_limit = self.library_steps + budget.LIMITS.library_steps
        self.patience = self.usual = patience
        self.limit = self.most
        self.short = -1
        self.anew = True
        self.go_on()

    @property
    def entering(self) -> bool:
        """Whether an entry point is being replayed, and not a file's own code."""
        return self.familiar is not None

    @property
    def is_outside(self) -> bool:
        """Whether what is being replayed is a file's own code, or a function that it calls."""
        return not self.entering and self.depth < len(budget.LIMITS.plenty)

    @property
    def rest(self) -> int:
        """Steps for the rest of a block, behind a statement that was left."""
        return budget.LIMITS.plenty[0] if self.is_outside else self.enough * budget.LIMITS.rest_of_block

    @property
    def enough(self) -> int:
        """Steps for one statement of it."""
        return budget.LIMITS.rest_entered if self.entering else budget.LIMITS.rest

    def grant(self, statements: int, until: int, worth: int = 1) -> None:
        """The budget was too small for everything: allow steps for this many statements, up to the step `until`.

        `worth`: how many times as much as usual they are worth.
        """
        self.short, self.anew = self.depth, self.is_outside
        steps = max(statements * self.enough * worth, budget.LIMITS.plenty[self.depth] if self.anew else 0)
        self.limit = self.most = min(self.steps + steps, until)

    @property
    def steps_for_loop(self) -> int:
        """Steps that a loop may take with its actual values: inside another loop, half of what that has left."""
        if self.entering:
            return budget.LIMITS.loop_steps
        own = (self.most - self.steps) // 8
        return own if self.loop_until is None else min(own, (self.loop_until - self.steps) // 2)

    @contextmanager
    def importing_apart(self) -> Iterator[None]:
        """While this lasts, steps count for an import, and what it imports in turn, not for the importing file."""
        before = (self.steps, self.most, self.limit, self.short, self.anew)
        self.allow(max(budget.LIMITS.entry_steps - self.imported, budget.LIMITS.least_imported), self.patience)
        try:
            yield
        finally:
            self.state.note(self, "imported", self.imported + self.steps - before[0])
            self.steps, self.most, self.limit, self.short, self.anew = before

    @contextmanager
    def trying(self) -> Iterator[None]:
        """While this lasts, no statement is left: the code runs to its end, or is cut short as a whole."""
        self.tentative += 1
        try:
            yield
        finally:
            self.tentative -= 1

    def await_call(self, node: ir.Node, steps: int) -> Awaited:
        """Allow a wrapper this many steps until it calls a function, and have no statement of it left."""
        self.awaited = awaited = Awaited(node, self.most, self.limit, self.awaited)
        self.most = min(self.most, self.steps + steps)
        self.limit = min(self.limit, self.most)
        self.tentative += 1
        return awaited

    def arrive(self, awaited: Awaited) -> None:
        """The function is called, or is no longer awaited: allow what was allowed before."""
        if awaited.pending:
            awaited.pending = False
            self.most, self.awaited = awaited.most, awaited.outer
            self.limit = min(self.most, max(awaited.limit, self.limit))
            self.tentative -= 1

    def since(self, awaited: Awaited | None, most: int, limit: int) -> tuple[int, int]:
        """What was allowed when something was awaited, `most` and `limit`, or before that, if it was called since."""
        return (most, limit) if awaited is None or awaited.pending else (awaited.most, max(awaited.limit, limit))

    # -- what is new ------------------------------------------------------------------------------

    def reach(self, s: ir.Stmt) -> None:
        """A statement is reached for the first time in this step: if it is new to all steps, that is worth more."""
        if self.familiar is None or s not in self.familiar.statements:
            self.news += 1
            self.newest = self.steps
            self.go_on()

    def operate(self) -> None:
        """An operator is replayed: in a file's own code that is worth as much as a new statement."""
        if not self.entering:
            self.go_on()

    def go_on(self) -> None:
        """There is something new: have patience again."""
        if self.patience is not None:
            self.limit = min(self.most, self.steps + self.patience)

    def is_familiar(self, function: FunctionV | None) -> bool:
        """Whether earlier entry points have entered a function."""
        return self.familiar is not None and function is not None and function.node in self.familiar.functions

    def at_length(self, run: Callable[[], Value]) -> Value:
        """Run unfamiliar code that familiar code has called."""
        patience, self.patience = self.patience, self.usual
        self.go_on()
        try:
            return run()
        finally:
            self.patience = patience
            self.go_on()
