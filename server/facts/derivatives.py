"""PyTorch's own formulas of its operators' derivatives, where they are short."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .rows import Rows

NAMES = {"input": "self", "out": "result"}
"""names in the formulas for parameters of functions, and for a result"""


class Derivatives:
    """The formulas of a release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def find(self, node: str | None, parameter: str, saved: str) -> str | None:
        """Return the formula for the gradient of a parameter, if it is known and reads something saved.

        `node` is the name of the grad_fn. Formulas are written in `grad`, `self`, `other`, `result`, ….
        """
        formula: str | None = (self._rows.get(node or "") or {}).get(NAMES.get(parameter, parameter))
        reads = re.search(rf"\b{NAMES.get(saved, saved)}\b", formula) if formula else None
        return formula if reads else None
