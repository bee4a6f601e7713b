"""The facts of each release of PyTorch: the base is stored whole, the others as what differs.

Any other release has a file (`releases/2.15.json`) with the rows that differ from its neighbour on the way to the base.
It is read when that release is asked for.
"""

from __future__ import annotations

import json
import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from .rows import HERE, Rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .branches import Graphs
    from .derivatives import Derivatives
    from .gradients import Gradients
    from .habits import Habits
    from .inference import PastAutograd
    from .layouts import Layouts
    from .members import Members
    from .published import Published
    from .table import Table
    from .views import Views

FOLDER = HERE / "releases"

COVERAGE = HERE / "coverage.json"

OF_CALLABLES = ("table", "gradients", "inference", "layouts", "views", "branches", "published")
"""the kinds of facts that have a row for a callable, by its name"""

KINDS = (*OF_CALLABLES, "derivatives", "habits", "members")
"""the kinds of facts; the base has one file for each (`gradients.json`)"""

Version = tuple[int, int]
"""a release without its patch number: 2.15.1 saves what 2.15.0 does"""


class Facts:
    """The facts of one release, by its `name` (`2.13`). The reader of a kind is imported when it is first needed."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def table(self) -> Table:
        """What callables save, change, alias and return."""
        from .table import Table

        return Table(self.rows("table"))

    @cached_property
    def gradients(self) -> Gradients:
        """How backward passes gradients on."""
        from .gradients import Gradients

        return Gradients(self.rows("gradients"))

    @cached_property
    def inference(self) -> PastAutograd:
        """What autograd records of calls on inference tensors."""
        from .inference import PastAutograd

        return PastAutograd(self.rows("inference"))

    @cached_property
    def layouts(self) -> Layouts:
        """How results lie in memory."""
        from .layouts import Layouts

        return Layouts(self.rows("layouts"))

    @cached_property
    def views(self) -> Views:
        """What is saved as a view, and which results are views of a tensor that the call made."""
        from .views import Views

        return Views(self.rows("views"))

    @cached_property
    def branches(self) -> Graphs:
        """Which results have a graph of their own."""
        from .branches import Graphs

        return Graphs(self.rows("branches"))

    @cached_property
    def published(self) -> Published:
        """What PyTorch's tables say of devices that were not measured."""
        from .published import Published

        return Published(self.rows("published"))

    @cached_property
    def derivatives(self) -> Derivatives:
        """PyTorch's formulas of gradients."""
        from .derivatives import Derivatives

        return Derivatives(self.rows("derivatives"))

    @cached_property
    def habits(self) -> Habits:
        """What PyTorch does beside its operators."""
        from . import habits

        return habits.of(self.rows("habits"))

    @cached_property
    def members(self) -> Members:
        """What PyTorch's modules hold."""
        from .members import Members

        return Members(self.rows("members"))

    def rows(self, kind: str) -> Rows:
        """The rows of one kind."""
        return Rows(kind, _over(self.name).get(kind, {}))


@cache
def names() -> tuple[str, ...]:
    """Return the releases that were measured, the oldest first."""
    return tuple(sorted({BASE.name, *(path.stem for path in FOLDER.glob("*.json"))}, key=version))


@cache
def of(name: str) -> Facts:
    """Return the facts of a release that was measured, by its name (one of `names()`)."""
    return BASE if name == BASE.name else Facts(name)


def nearest(release: str) -> str:
    """Return the measured release whose facts stand for `release`: the same, else the next newer one, else the newest.

    Raises ValueError if the text isn't the number of a release.
    """
    wanted = version(release)
    return next((name for name in names() if version(name) >= wanted), names()[-1])


def version(release: str) -> Version:
    """Return the major and minor number: (2, 8) for `2.8.1+cu126`. Raises ValueError if the text has none."""
    match = re.match(r"(\d{1,4})\.(\d{1,4})(?!\d)", release)
    if match is None:
        raise ValueError(f"not a release of PyTorch: {release}")
    return int(match[1]), int(match[2])


@cache
def told(name: str) -> Mapping[str, Any]:
    """Return the file of a release: how it was measured, and what differs from the neighbour (`beside`)."""
    found: dict[str, Any] = json.loads(path_of(name).read_text(encoding="utf-8"))
    return found


def path_of(name: str) -> Path:
    """Return the path of the file of a release other than the base."""
    return FOLDER / f"{name}.json"


@cache
def _over(name: str) -> dict[str, dict[str, Any]]:
    """Return the rows that differ from the base, by kind: the neighbour's differences, then this release's own."""
    if name == BASE.name:
        return {}
    own = told(name)
    further = _over(own["beside"])
    return {kind: {**further.get(kind, {}), **own.get(kind, {})} for kind in KINDS}


BASE = Facts(".".join(map(str, version(json.loads(COVERAGE.read_text(encoding="utf-8"))["torch"]))))
"""the release that is stored whole"""
