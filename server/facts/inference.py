"""What autograd sees of calls whose tensors are all inference tensors (`inference.json`, measured).

Outside of inference mode autograd sees nothing of such a call, but the result is a normal tensor: what the operator
does in place to it counts, which else happens below the level at which versions are counted. An operator that goes
on with a tensor of its own making is seen from there on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .rows import Rows

Times = tuple[int, int]
"""from so often to so often"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the samples of a callable showed. The file leaves out what is False or None."""

    written: tuple[Times | None, ...]
    """how often each result of its own was written; None where nobody has measured it"""
    seen: bool | None = False
    """whether results require grad where an argument does; None: those of some samples"""
    refused: bool = False
    """whether all samples with a tensor that requires grad are refused, for an `out=` that the operator uses itself"""


class PastAutograd:
    """What autograd sees of such calls in a release."""

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
