"""Which results of a call have a graph of their own, and what they share (`branches.json`, measured).

An operator gives its results by one node. A call that is made of several operators gives each by a node of its own,
behind which come nodes that lead to several results, if there are such: a backward from one of the results reads
what is its own and what is shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .rows import Rows


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the graph of a call: nodes that lead to one result alone, or those that lead to several."""

    flows: frozenset[str] = frozenset()
    """the inputs that they lead to"""
    saves: frozenset[str] = frozenset()
    """the inputs and results that they save"""
    holds: bool = False
    """whether they keep anything, so that they can be run once"""
    through: frozenset[int] = frozenset()
    """the results whose nodes they lead to, of those that the shared part gives"""


@dataclass(frozen=True, slots=True)
class Branches:
    """The parts of the graph of a call."""

    own: tuple[Part | None, ...]
    """that of each result, the last of all further ones; None where the shared part gives it"""
    shared: Part | None
    each: bool
    """whether each result goes with one item of the lists that the call is given"""

    def of(self, result: int) -> Part | None:
        """The part of a result alone."""
        return self.own[min(result, len(self.own) - 1)]


class Graphs:
    """The parts of graphs in a release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[str, Branches | None] = {}

    def find(self, name: str) -> Branches | None:
        """Return the parts of a call's graph; None where all its results are those of one node."""
        if name not in self._known:
            row = self._rows.get(name)
            self._known[name] = None if row is None else _branches(row)
        return self._known[name]


def _branches(row: dict[str, Any]) -> Branches:
    return Branches(tuple(map(_part, row["own"])), _part(row.get("shared")), row.get("each", False))


def _part(known: dict[str, Any] | None) -> Part | None:
    if known is None:
        return None
    flows, saves, through = (frozenset(known.get(key, ())) for key in ("flows", "saves", "through"))
    return Part(flows, saves, known.get("holds", False), through)


def plain(told: Branches) -> dict[str, Any]:
    """Return the row of a call."""
    row: dict[str, Any] = {"own": [_plain_part(part) for part in told.own]}
    if told.shared is not None:
        row["shared"] = _plain_part(told.shared)
    return {**row, "each": True} if told.each else row


def _plain_part(part: Part | None) -> dict[str, Any] | None:
    if part is None:
        return None
    told = {"flows": sorted(part.flows), "saves": sorted(part.saves), "holds": part.holds}
    return {key: value for key, value in {**told, "through": sorted(part.through)}.items() if value}
