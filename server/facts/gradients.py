"""How the backward of a call passes its gradient on to the parameters (`gradients.json`, measured)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .rows import Rows


@dataclass(frozen=True, slots=True)
class Way:
    """How a parameter's gradient is made: in the memory of the incoming gradient, or in memory of its own."""

    passed: bool
    same: bool
    """whether it is the incoming tensor itself, not a view of it"""
    dense: bool | None
    """whether it fills its memory without gaps if the incoming one does; None: depends on the arguments"""
    free: bool | None
    """whether the engine adds to it in place, if it would add to the incoming one in place"""
    low: int
    high: int
    """at least and at most so many times was it written"""
    spread: bool | None = False
    """whether it is expanded: several elements share one place in memory"""
    stays: bool | None = False
    """the same, if all elements of the incoming one share one place"""
    parts: bool = False
    """whether the call uses the parameter several times, so that its gradient arrives in several parts"""


NEW = Way(False, False, True, True, 0, 0)
"""the usual way, which the file leaves out"""

BY_NODE = {
    "SelectBackward0": "torch.Tensor.select",
    "SliceBackward0": "torch.Tensor.narrow",
    "UnbindBackward0": "torch.Tensor.unbind",
    "CloneBackward0": "torch.Tensor.clone",
    "ToCopyBackward0": "torch.Tensor.double",
    "AsStridedBackward0": "torch.Tensor.as_strided",
}
"""nodes that the replay makes without a call, each with a callable that makes such a node"""


class Gradients:
    """How gradients are passed on, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[tuple[str, str, bool], Way | None] = {}

    def find(self, name: str, parameter: str, same_shape: bool) -> Way | None:
        """Return how a parameter's gradient is made, None if that isn't known.

        `same_shape` says whether it has the shape of the result. If no sample had that (a product of matrices that
        aren't square), a new gradient is made in either case: shapes matter only where one is broadcast.
        """
        key = (name, parameter, same_shape)
        if key not in self._known:
            row = self._rows.get(name)
            self._known[key] = None if row is None else _way(row, parameter, same_shape)
        return self._known[key]


def _way(row: dict[str, Any], parameter: str, same_shape: bool) -> Way | None:
    same, other = row.get(parameter, ("new", "new"))
    text = other if not same_shape or (same is None and (other or "").startswith("new")) else same
    match = re.fullmatch(r"(new|passed|same)([~%]?)([!|]?)(\d*)-?(\d*)(\^?)([-+?]?)(\*?)", text or "")
    if match is None:
        return None
    kind, sparse, kept, low, high, spread, stays, parts = match.groups()
    free = {"": not sparse, "!": False}.get(kept)
    times = int(low or 0), int(high or low or 0)
    passed = kind != "new"
    stays_spread = {"": passed, "+": True, "-": False}.get(stays)
    dense = {"": True, "~": False}.get(sparse)
    return Way(passed, kind == "same", dense, free, *times, spread == "^", stays_spread, parts == "*")
