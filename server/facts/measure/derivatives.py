"""The formulas from which PyTorch generates its backward functions (`derivatives.yaml`), if they are short."""

from __future__ import annotations

import re
from pathlib import Path

import torchgen  # type: ignore[import-untyped]
from torchgen.packaged.autograd.load_derivatives import load_derivatives  # type: ignore[import-untyped]

LONGEST = 48
"""how many characters a formula may have: it has to fit into a sentence"""

_READABLE = re.compile(r"[\w\s.+\-*/()]+")
_HELPER = re.compile(r"_backward|_symint|sym_|\bat::|options|layout|scalar_type|maybe_|handle_")


def read() -> dict[str, dict[str, str]]:
    """Return the formulas of gradients by the name of the node, then by input.

    Calls of `conj()` are left out: conjugation does nothing to real tensors.
    """
    root = Path(torchgen.__file__).parent / "packaged"
    native = root / "ATen" / "native"
    loaded, _ = load_derivatives(
        str(root / "autograd" / "derivatives.yaml"), str(native / "native_functions.yaml"), str(native / "tags.yaml")
    )
    found: dict[str, dict[str, str]] = {}
    for info in (by["Default"] for by in loaded.values() if "Default" in by):
        formulas = {
            name: derivative.original_formula.replace(".conj()", "")
            for derivative in info.derivatives
            for name in derivative.var_names
        }
        short = {name: formula for name, formula in formulas.items() if _is_readable(formula)}
        if info.op and short:
            found[info.op] = short
    return dict(sorted(found.items()))


def _is_readable(formula: str) -> bool:
    return len(formula) <= LONGEST and bool(_READABLE.fullmatch(formula)) and not _HELPER.search(formula)
