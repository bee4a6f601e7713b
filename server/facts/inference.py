"""What autograd sees of calls whose tensors are all inference tensors (`inference.json`, measured).

Outside inference mode, autograd doesn't record such a call, but the result is a normal tensor. So the writes that the
operator itself makes to it are counted, which usually happen below the level at which versions are counted. An operator
that goes on with a new normal tensor is recorded from there on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .rows import Rows

Times = tuple[int, int]
"""at least and at most so many times"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the samples of a callable have shown. The file leaves out what is False or None."""

    written: tuple[Times | None, ...]
    """how many times each new result was written; None if that wasn't measured"""
    seen: bool | None = False
    """whether results require grad if an argument does; None: in some samples"""
    refused: bool = False
    """whether samples with a tensor that requires grad are all refused, since the operator itself uses `out=`"""


class PastAutograd:
    """What autograd records of such calls, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[str, Seen | None] = {}

    def find(self, name: str) -> Seen | None:
        """Return what is known of a callable."""
        if name not in self._known:
            row = self._rows.get(name)
            self._known[name] = None if row is None else _seen(row)
        return self._known[name]


def _seen(row: dict[str, Any]) -> Seen:
    written = tuple(one and (one[0], one[1]) for one in row.get("written", ()))
    return Seen(written, row.get("seen", False), row.get("refused", False))


def plain(told: Seen) -> dict[str, Any]:
    """Return the row of a callable."""
    row: dict[str, Any] = {"written": [one and list(one) for one in told.written]} if told.written else {}
    if told.seen is not False:
        row["seen"] = told.seen
    if told.refused:
        row["refused"] = True
    return row
