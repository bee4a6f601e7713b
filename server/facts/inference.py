"""What autograd sees of calls whose tensors are all inference tensors (`inference.json`, measured).

Outside inference mode, autograd doesn't record a call whose tensors are all inference tensors, but its result is a
normal tensor. An operator that is made of others writes to that result through the level of PyTorch that counts
versions, so the result may come with a version above 0:

    y = inference_tensor.sum()   # y._version == 1

If the operator works on with a new normal tensor, autograd records it from there on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .rows import Rows

Times = tuple[int, int]
"""how many times, at least and at most"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the samples of a callable showed."""

    written: tuple[Times | None, ...]
    """how many times each new result was written; None if that wasn't measured"""
    seen: bool | None = False
    """whether results require grad if an argument does; None: in some samples"""
    refused: bool = False
    """whether each call with a tensor that requires grad was refused, because the operator itself uses `out=`"""


class PastAutograd:
    """What autograd records of calls on inference tensors, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[str, Seen | None] = {}

    def find(self, name: str) -> Seen | None:
        """Return what the samples of a callable showed; None if it wasn't measured."""
        if name not in self._known:
            row = self._rows.get(name)
            self._known[name] = None if row is None else _seen(row)
        return self._known[name]


def _seen(row: dict[str, Any]) -> Seen:
    written = tuple(one and (one[0], one[1]) for one in row.get("written", ()))
    return Seen(written, row.get("seen", False), row.get("refused", False))


def plain(told: Seen) -> dict[str, Any]:
    """Return the row that `PastAutograd` reads: plain data, without what is empty or False."""
    row: dict[str, Any] = {"written": [one and list(one) for one in told.written]} if told.written else {}
    if told.seen is not False:
        row["seen"] = told.seen
    if told.refused:
        row["refused"] = True
    return row
