"""`torch.masked.prod` multiplies one dimension after the other (`torch/masked/_ops.py`), and each saves both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from . import reductions
from .names import within

if TYPE_CHECKING:
    from ...autograd.tensors import Grad, Tensor
    from ..interpreter import Interpreter


def keeps(m: Interpreter, call: Call) -> dict[str, Grad]:
    """A mask or another dtype make a copy first; where there is no dimension, nothing is saved."""
    shape = next((t.shape for t in call.tensors.get("input", ())), None)
    if shape is None or (shape == () and call.values.get("dim") in (None, ())):
        return {}
    plain = call.values.get("mask") is None and call.values.get("dtype") is None
    return {"input": True, "out": True} if plain else {"out": True}


def unchanged(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """Whether there is nothing to multiply, and nothing to take out either."""
    return False if call.values.get("mask") is not None else reductions.nothing_to_reduce(m, call, source)


FAMILIES = {within("masked", "prod"): Family(keeps=keeps, unchanged=unchanged, finds_out=True)}
