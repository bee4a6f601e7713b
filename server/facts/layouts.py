"""How the results of a call lie in memory of their own (`layouts.json`, measured)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .rows import Rows

Layout = Literal["rows", "first", "operands", "columns"]
"""`rows`: row by row. `first`: as the first tensor (`empty_like`). `operands`: as all tensors together decide
(`TensorIterator`). `columns`: each matrix column by column, as LAPACK gives it."""

Rules = tuple[Layout | None, Layout | None]
"""if all tensors that are passed are contiguous, and otherwise; None if no rule holds"""

ROWS: Rules = ("rows", "rows")
"""the usual case, which the file leaves out"""


class Layouts:
    """How results lie in memory, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def find(self, name: str, result: int) -> Rules:
        """Return how a result of a call lies in memory."""
        row = self._rows.get(name) or ()
        if result >= len(row):
            return ROWS
        contiguous, other = row[result]
        return contiguous, other
