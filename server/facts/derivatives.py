"""PyTorch's own formulas for the derivatives of its operators, if they are short (`derivatives.json`).

The rows are by the name of the node: `ExpBackward0` has `{"self": "grad * result"}`, which says why `exp` saves its
result. PyTorch generates its backward functions from these formulas (`tools/autograd/derivatives.yaml`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .rows import Rows

NAMES = {"input": "self", "out": "result"}
"""the formulas' names for the parameter `input` of functions, and for a result"""


class Derivatives:
    """The formulas of one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def find(self, node: str | None, parameter: str, saved: str) -> str | None:
        """Return the formula for the gradient of a parameter; None if none is known, or it doesn't read `saved`.

        `node` is the name of the grad_fn, `saved` a parameter or `out`. Formulas are written in `grad`, `self`,
        `other`, `result`, ….
        """
        formula: str | None = (self._rows.get(node or "") or {}).get(NAMES.get(parameter, parameter))
        reads = re.search(rf"\b{NAMES.get(saved, saved)}\b", formula) if formula else None
        return formula if reads else None
