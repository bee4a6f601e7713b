"""Which results of a call have a graph of their own, and what they share (`branches.json`, measured).

All results of one operator have the same node. A call that is composed of several operators may give each result a
node of its own. A backward from one result then reads what its own part of the graph has saved, and what the shared
part has saved, from which several results were computed:

    h, c = torch.lstm_cell(…)   # `h` was computed from `c`: its own part leads through the shared one, which makes `c`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .rows import Rows


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the graph of a call: the nodes behind one result alone, or the nodes behind several."""

    flows: frozenset[str] = frozenset()
    """the inputs that a gradient flows to directly from these nodes"""
    saves: frozenset[str] = frozenset()
    """the inputs and results that they save"""
    holds: bool = False
    """whether they save anything, even a temporary tensor: they can then run only once"""
    through: frozenset[int] = frozenset()
    """the results of the shared part that the gradient flows through (1 for the `h` above, by way of `c`)"""


@dataclass(frozen=True, slots=True)
class Branches:
    """The graph of a call in parts."""

    own: tuple[Part | None, ...]
    """the part of each result; the last entry also stands for all results after it. None: the shared part makes it"""
    shared: Part | None
    """the nodes behind several results; None if there are none"""
    each: bool
    """whether each result comes from one item of the lists that are passed to the call (`_foreach_add_`)"""

    def of(self, result: int) -> Part | None:
        """The own part of a result, by its number; None if the result belongs to the shared part."""
        return self.own[min(result, len(self.own) - 1)]


class Graphs:
    """The graphs of calls, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[str, Branches | None] = {}

    def find(self, name: str) -> Branches | None:
        """Return the parts of a call's graph by the callable's name; None if all its results have the same node."""
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
    """Return the row that `Graphs` reads: plain data, without what is empty or False."""
    row: dict[str, Any] = {"own": [_plain_part(part) for part in told.own]}
    if told.shared is not None:
        row["shared"] = _plain_part(told.shared)
    return {**row, "each": True} if told.each else row


def _plain_part(part: Part | None) -> dict[str, Any] | None:
    if part is None:
        return None
    told = {"flows": sorted(part.flows), "saves": sorted(part.saves), "holds": part.holds}
    return {key: value for key, value in {**told, "through": sorted(part.through)}.items() if value}
