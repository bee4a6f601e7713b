"""What was entered before the last edits, for when these are taken back: then it stands again, and is not run.

    def forward(self, x):
        return self.lin(x        # somebody deletes a bracket, a name, an import, looks, and types it again

What an entry came to rests on the bodies that it has run, and on what is in the places that it has looked up. As long
as it is kept here, it is noted what was in those of them that have changed since. It stands where these have the same
again, and the bodies are those that it has run: a text that comes back gives the same statements (`syntax/parts.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..domain.steps import ANY
from .effects import SPREAD, found
from .sameness import is_same_member

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Set

    from ..domain.steps import Place, Step
    from ..domain.values import Value
    from .effects import Difference
    from .entered import Entered

MOST = 8_000
"""how many steps of the replay all that is kept has taken"""

OLDEST = 20
"""for how many edits it is kept"""

OF_ONE = 2
"""entries of one class or function that are kept"""


class Former:
    """What was entered, as it was; and what was in the places that it has looked up and that have changed since."""

    def __init__(self, entered: Entered) -> None:
        self.entered = entered
        self.touched: Set[Place] = frozenset(place for step in entered.steps for place in step.touched)
        self.open = {id(store) for store, name in self.touched if name is ANY}
        """where it has looked up all names"""
        self.changed: dict[Place, Value] = {}
        self.age = 0

    def take(self, difference: Difference) -> bool:
        """Note what has changed with one more edit; whether it may stand again."""
        self.age += 1
        told = difference.told
        if not all(told.isdisjoint(step.reached) and told.isdisjoint(step.executed) for step in self.entered.steps):
            return False
        places = set(difference.names.keys() & self.touched)
        if self.open:
            places |= {place for place in difference.names if id(place[0]) in self.open}
        for place in places:
            if place[1] is not ANY:
                if difference.names[place] is SPREAD:
                    return False
                self.changed.setdefault(place, difference.names[place])
        return self.age <= OLDEST

    def stands(self, is_as_it_was: Callable[[Step], bool]) -> bool:
        """Whether all places have what they had, and no step has seen anything else that has changed."""
        same = all(is_same_member(found(place), value) for place, value in self.changed.items())
        return same and all(map(is_as_it_was, self.entered.steps))


class Past:
    """What was entered before, by what it is of, the last ones first."""

    def __init__(self) -> None:
        self.formers: dict[Hashable, list[Former]] = {}

    def take(self, difference: Difference) -> None:
        """Note where the state is not what it was when the last of these were true."""
        kept = {} if difference.lost else self.formers
        self.formers = {of: [one for one in formers if one.take(difference)] for of, formers in kept.items()}

    def put(self, entered: Entered, difference: Difference) -> None:
        """Keep something as it was before the state has changed."""
        former = Former(entered)
        if not difference.lost and former.take(difference):
            self.formers[entered.of] = [former, *self.formers.get(entered.of, ())][:OF_ONE]

    def trim(self) -> None:
        """Forget the oldest, where all together are too much."""
        every = sorted((one for formers in self.formers.values() for one in formers), key=lambda one: one.age)
        self.formers, left = {}, MOST
        for one in every:
            left -= one.entered.cost
            if left >= 0:
                self.formers.setdefault(one.entered.of, []).append(one)

    def back(self, of: Hashable, unentered: Hashable, is_as_it_was: Callable[[Step], bool]) -> Entered | None:
        """What was entered there before and stands again; it is past no more."""
        formers = self.formers.get(of, [])
        for former in formers:
            if former.entered.unentered == unentered and former.stands(is_as_it_was):
                formers.remove(former)
                return former.entered
        return None
