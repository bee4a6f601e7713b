"""How the results of a call lie in memory (`layouts.json`, measured): only results with memory of their own.

"torch.exp": [["rows", "first"]]   # contiguous for a contiguous tensor; otherwise with its strides, as `empty_like`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .rows import Rows

Layout = Literal["rows", "first", "operands", "columns"]
"""`rows`: row by row (contiguous). `first`: as the first tensor lies (`empty_like`). `operands`: as all tensors decide
together (`TensorIterator`). `columns`: each matrix column by column, as LAPACK returns it."""

Rules = tuple[Layout | None, Layout | None]
"""the layout if all tensors that are passed are contiguous, and the layout otherwise; None if no rule holds"""

ROWS: Rules = ("rows", "rows")
"""the usual case, which the file leaves out"""


class Layouts:
    """How the results of calls lie in memory, in one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def find(self, name: str, result: int) -> Rules:
        """Return how a result of a call lies in memory, by the callable's name and the result's number."""
        row = self._rows.get(name) or ()
        if result >= len(row):
            return ROWS
        contiguous, other = row[result]
        return contiguous, other
