"""Versions of memory: the way back from a version to those before it.

    y = w.exp()         # saves y, at version A
    if flag:
        y.add_(1)       # version B, which follows A
    z = y.sin()         # saves y: at B if `flag` holds, else at A
    y.mul_(2)           # version C, which follows B or A
    z.sum().backward()

Versions are compared as points on this way, not by their numbers, which may be unknown ("0 to 1", or a dropout that
perhaps does nothing). What was saved is stale if a write follows it on the way back from now. From C we meet both B and
A, each followed by `mul_`: so `sin` is stale on either path, and `mul_` is to blame. `exp` has saved A, which `add_`
follows if `flag` holds, else `mul_`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..domain.values import ABSENT, Cond, Phi, Value
from .regions import are_apart
from .tensors import Version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..domain.paths import State
    from ..domain.report import Write
    from .geometry import Geometry


class Past:
    """The way back from a version, walked only as far as it is asked for.

    At a branch with an unknown answer it follows the first side that has a version: both come from the same one.
    """

    def __init__(self, state: State, version: Value, known: Mapping[Cond, bool]) -> None:
        self.state = state
        self.known = known
        self.at: Value = version
        self.followers: dict[int, Version | None] = {}
        """for each version on the way, by its `id` (a Phi's too): the one that followed it"""
        self.back: dict[int, Version | None] = {}
        """for those whose content was restored: what followed then"""

    def after(self, version: Value, of: Geometry | None = None) -> Write | None:
        """The write that followed a version, the first one that reached `of`; None if it isn't on this way."""
        while id(version) not in self.followers and self._step():
            pass
        found = self.followers.get(id(version))
        while found is not None and of is not None and found.reach is not None and are_apart(found.reach, of):
            found = self.followers.get(id(found))
        return found.write if found is not None else None

    def _step(self) -> bool:
        """Go back over one write; whether there was one."""
        version = self.at
        if not isinstance(version, Version) or version.write is None:
            return False
        self.at = None
        if version.back is not ABSENT:
            self.back.setdefault(id(version.back), self.followers.get(id(version)))
        self._follow(version.prev, version)
        todo: list[Value] = [version.prev]
        while todo:
            v = self.state.resolve(todo.pop())
            if type(v) is Phi:
                holds = self.known.get(v.cond)
                todo += [v.orelse, v.then] if holds is None else [v.then if holds else v.orelse]
                continue
            self._follow(v, version)
            if self.at is None:
                self.at = v
        return True

    def _follow(self, earlier: Value, version: Version) -> None:
        content = earlier.content if isinstance(earlier, Version) else earlier
        self.followers.setdefault(id(earlier), self.back.get(id(content), version))


def bounds(versions: Sequence[Version]) -> tuple[int, int | None]:
    """The lowest and highest number of several versions (None: no bound)."""
    low = min(v.low for v in versions)
    high = None if any(v.high is None for v in versions) else max(v.high or 0 for v in versions)
    return low, high
