"""How the results of a call lie in memory of their own (`layouts.json`, measured)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Literal

PATH = Path(__file__).with_name("layouts.json")

Layout = Literal["rows", "first", "operands", "columns"]
"""`rows`: row by row. `first`: as the first tensor (`empty_like`). `operands`: as all tensors together decide
(`TensorIterator`). `columns`: each matrix column by column, as LAPACK gives it."""

Layouts = tuple[Layout | None, Layout | None]
"""where all tensors that the call was given are contiguous, and elsewhere; None where no rule tells"""

ROWS: Layouts = ("rows", "rows")
"""the usual way, which the file leaves out"""


@cache
def _table() -> dict[str, list[list[Layout | None]]]:
    found: dict[str, list[list[Layout | None]]] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


@cache
def find(name: str, result: int) -> Layouts:
    """Return how a result of a call lies."""
    known = _table().get(name, [])
    if result >= len(known):
        return ROWS
    plain, other = known[result]
    return plain, other


def write(layouts: dict[str, list[list[Layout | None]]]) -> None:
    """Write the file, one line a callable."""
    rows = [f"{json.dumps(name)}:{json.dumps(known, separators=(',', ':'))}" for name, known in layouts.items()]
    PATH.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
