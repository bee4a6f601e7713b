"""How far the replay has come: `--verbose` and `--statistics`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..workspace.problems import Problem
from .places import complain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..workspace.parts import GivenUp, Reached

WHY = {
    "work": "takes too much work; what follows is checked without it",
    "raises": "raises {detail}",
    "error": "GradGuard itself went wrong here: {detail}",
    "nested": "calls are nested too deep; this one is not followed",
    "branches": "branches are nested too deep; one side is not followed",
}
"""Each `report.Why` in words."""


def summary(reach: Reached) -> str:
    """How many statements were replayed to their end, and why others were not, in one line."""
    counts = Counter(one.why for one in reach.given_up)
    given_up = "".join(f"; {count} given up ({why})" for why, count in sorted(counts.items()))
    return f"{reach.ended} of {reach.statements} statements replayed to their end{given_up}."


def places(reach: Reached) -> Iterator[str]:
    """A line for each place where a path was given up."""
    for one in reach.given_up:
        yield complain(Problem(one.path, _why(one), one.line))


def _why(one: GivenUp) -> str:
    return WHY[one.why].format(detail=one.detail)
