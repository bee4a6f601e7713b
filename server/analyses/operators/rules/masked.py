"""Functions of `torch.masked` (`torch/masked/_ops.py`): a mask of another shape or dtype is copied first.

`prod` multiplies one dimension after the other, and each saves both ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from . import reductions
from .names import within

if TYPE_CHECKING:
    from ...autograd.geometry import Shape
    from ...autograd.tensors import Grad, Tensor
    from ..interpreter import Interpreter

OTHERS = (
    "amax amin cumprod cumsum log_softmax logaddexp logsumexp mean median norm normalize softmax softmin std sum var"
)
"""what takes a mask, besides `prod`"""


def masks(m: Interpreter, call: Call) -> dict[str, Grad]:
    """`_input_mask` expands a copy of a mask that hasn't the input's shape, and makes it a bool."""
    found: dict[str, Grad] = {}
    for p, masked in (("mask", "input"), ("input_mask", "input"), ("other_mask", "other")):
        for mask, t in zip(call.tensors.get(p, ()), call.tensors.get(masked, ()), strict=False):
            if mask.dtype not in (None, "bool") or differ(mask.shape, t.shape):
                found[p] = False
    return found


def differ(one: Shape | None, other: Shape | None) -> bool:
    """Whether two shapes certainly differ."""
    if one is None or other is None:
        return False
    return len(one) != len(other) or any(a != b for a, b in zip(one, other, strict=True) if None not in (a, b))


def keeps(m: Interpreter, call: Call) -> dict[str, Grad]:
    """A mask or another dtype make a copy first; where there is no dimension, nothing is saved."""
    shape = next((t.shape for t in call.tensors.get("input", ())), None)
    if shape is None or (shape == () and call.values.get("dim") in (None, ())):
        return masks(m, call)
    plain = call.values.get("mask") is None and call.values.get("dtype") is None
    return {"input": True, "out": True} if plain else {"out": True, **masks(m, call)}


def unchanged(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """Whether there is nothing to multiply, and nothing to take out either."""
    return False if call.values.get("mask") is not None else reductions.nothing_to_reduce(m, call, source)


FAMILIES = {
    within("masked", "prod"): Family(keeps=keeps, unchanged=unchanged, finds_out=True),
    within("masked", OTHERS): Family(keeps=masks),
}
