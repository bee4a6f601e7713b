"""How PyTorch writes the derivatives of its operators, where that is a short formula."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .rows import Rows

NAMES = {"input": "self", "out": "result"}
"""what the formulas call the parameters of functions, and a result"""


class Derivatives:
    """The formulas of a release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def find(self, node: str | None, parameter: str, saved: str) -> str | None:
        """Return the formula for the gradient of a parameter, if it is known and reads what was saved.

        `node` is the name of the grad_fn. Formulas are written in `grad`, `self`, `other`, `result`, ….
        """
        formula: str | None = (self._rows.get(node or "") or {}).get(NAMES.get(parameter, parameter))
        reads = re.search(rf"\b{NAMES.get(saved, saved)}\b", formula) if formula else None
        return formula if reads else None
