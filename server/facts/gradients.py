"""How the backward of a call passes its gradient on to the parameters (`gradients.json`, measured).

The engine adds gradients up in place where it may, so it matters which memory a gradient lies in. A row has two texts
for each parameter: the first if the parameter has the result's shape, the second if it has another (it is broadcast):

    "torch.add": {"input": ["same", "new"], …}   # the incoming gradient itself, or a new tensor: its sum

A text begins with `new`, `passed` (in the memory of the incoming gradient) or `same` (the incoming tensor itself).
Marks follow, in this order, each left out in the usual case:

- `~`: not dense; `%`: dense in some samples;
- `!`: the engine never adds to it in place; `|`: it does in some samples (usually in those where it is dense);
- `2` or `0-2`: how many times it was written;
- `^`: expanded;
- `+`, `-`, `?`: whether it is expanded if the incoming gradient is, where that isn't usual (see `Way.stays`);
- `*`: it arrives in several parts.

`?` alone: the samples disagree about its beginning.
"""

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
    """whether it lies in the memory of the incoming gradient"""
    same: bool
    """whether it is the incoming tensor itself, not a view of it"""
    dense: bool | None
    """whether it fills its memory without gaps if the incoming one does; None: depends on the arguments"""
    free: bool | None
    """whether the engine adds to it in place, provided it would add to the incoming one in place; None: depends"""
    low: int
    high: int
    """how many times it was written, at least and at most"""
    spread: bool | None = False
    """whether it is expanded: several of its elements share one place in memory"""
    stays: bool | None = False
    """the same if the incoming gradient is expanded: usually one that is passed is, a new one isn't. None: depends"""
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
"""nodes that the replay makes without a call, each with a callable whose row says how it passes gradients on"""


class Gradients:
    """How backward passes gradients on, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[tuple[str, str, bool], Way | None] = {}

    def find(self, name: str, parameter: str, same_shape: bool) -> Way | None:
        """Return how a parameter's gradient is made; None if that is unknown.

        `same_shape`: the parameter has the shape of the result. Where no sample had that (a product of matrices that
        aren't square) and the gradient was new, it is taken to be new in either case: shapes matter only in broadcasts.
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
