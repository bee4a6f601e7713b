"""How PyTorch writes the derivatives of its operators, where that is a short formula."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

PATH = Path(__file__).with_name("derivatives.json")

NAMES = {"input": "self", "out": "result"}
"""what the formulas call the parameters of functions, and a result"""


@cache
def _formulas() -> dict[str, dict[str, str]]:
    formulas: dict[str, dict[str, str]] = json.loads(PATH.read_text(encoding="utf-8"))
    return formulas


def find(node: str | None, parameter: str, saved: str) -> str | None:
    """Return the formula for the gradient of a parameter, if it is known and reads what was saved.

    `node` is the name of the grad_fn. Formulas are written in `grad`, `self`, `other`, `result`, ….
    """
    formula = _formulas().get(node or "", {}).get(NAMES.get(parameter, parameter))
    reads = re.search(rf"\b{NAMES.get(saved, saved)}\b", formula) if formula else None
    return formula if reads else None
