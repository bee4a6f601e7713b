"""Which results of a call have a graph of their own, and what they share (`branches.json`, measured).

All results of an operator have one node. In a call that is composed of several operators, each result has a node of its
own, behind which there may be nodes that lead to several results. A backward from one result reads what its own part
and the shared part have saved:

    h, c = torch.lstm_cell(…)   # two nodes, and one for the gates that both were computed from
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .rows import Rows


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the graph of a call: the nodes that lead to one result alone, or those that lead to several."""

    flows: frozenset[str] = frozenset()
    """the inputs that they lead to"""
    saves: frozenset[str] = frozenset()
    """the inputs and results that they save"""
    holds: bool = False
    """whether they save anything, so that they can run only once"""
    through: frozenset[int] = frozenset()
    """the results of the shared part whose nodes they lead to"""


@dataclass(frozen=True, slots=True)
class Branches:
    """The parts of the graph of a call."""

    own: tuple[Part | None, ...]
    """the part of each result, the last one for all further results; None if the result belongs to the shared part"""
    shared: Part | None
    each: bool
    """whether each result belongs to one item of the lists that are passed to the call"""

    def of(self, result: int) -> Part | None:
        """The part of one result."""
        return self.own[min(result, len(self.own) - 1)]


class Graphs:
    """The parts of graphs in a release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[str, Branches | None] = {}

    def find(self, name: str) -> Branches | None:
        """Return the parts of a call's graph; None if all its results have one node."""
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
