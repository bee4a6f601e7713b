"""What entering a class or a function came to: its parts, kept so that an edit has those run again that rest on it.

    class Gate(nn.Module):
        def __init__(self): …       # a part: an object is built
        def forward(self, x): …     # a part: it is trained
        def extra_repr(self): …     # a part: the method is called

Each part is a step and goes on from the one before. The object that they share stands under a name of the entry's own:
what a part changes behind it concerns those that look it up, as with the names of a module (`effects.py`). When all
have run they are taken back. After an edit of `extra_repr` the first two are done again as they were, and only the
third runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..domain import budget
from ..domain.steps import Globals
from .effects import Shelf

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from ...syntax import ir
    from ..domain.report import Told
    from ..domain.steps import Step
    from ..python.machine import Machine
    from ..stories.trace import Trace


class Entered:
    """A class or function that was entered: `steps` are its parts, `told` is what its statements left behind.

    `of` says where it is defined, and `unentered` what of it nothing else had entered.
    """

    def __init__(self, m: Machine, trace: Trace, of: Hashable) -> None:
        self.m = m
        self.of = of
        self.trace = trace
        self.names = Globals(m.files.seen)
        self.shelf = Shelf(m)
        self.steps: list[Step] = []
        self.told: Mapping[ir.Stmt, Told] = {}
        self.unentered: Hashable = None

    def copy(self) -> Entered:
        """What is there now, to be kept when the parts are run again."""
        same = Entered(self.m, self.trace, self.of)
        same.names, same.shelf, same.steps = self.names, self.shelf.copy(), list(self.steps)
        same.told, same.unentered = self.told, self.unentered
        return same

    @property
    def cost(self) -> int:
        """The steps of the replay that it took."""
        return sum(step.cost for step in self.steps)

    def keep(self) -> None:
        """Take the parts back so that they can be done again, if running them again costs more than that."""
        self.shelf.close()
        if self.m.files.noting and self.cost > budget.LIMITS.cheap_entry and len(self.steps) > 1:
            self.shelf.put(self.steps)

    def moved(self) -> list[tuple[int, int, float]]:
        """The parts that were run again while later ones stood, for `Explainer.moved`."""
        return [(one.born, one.until, one.place) for one in self.steps if one.place != one.born]
