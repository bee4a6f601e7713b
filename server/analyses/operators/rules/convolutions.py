"""Convolutions: they save their input itself, unless they pad a copy of it first.

conv = nn.Conv2d(3, 3, 3, padding=1, padding_mode="circular")
y = conv(x)
x.mul_(2)                       # harmless: the padded copy is saved (`torch/nn/modules/conv.py`)

`padding="same"` pads a copy where it isn't the same on both sides (`convolution_same` in `native/Convolution.cpp`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...domain.values import Unknown
from ..call import Call, Family
from ..cases import by_conditions, one_or_more, saves_of
from .names import functional, functions, modules

if TYPE_CHECKING:
    from ....facts.model import Case, Op
    from ...autograd.tensors import Grad
    from ...domain.values import Value
    from ..interpreter import Interpreter

SAVED_BY_PADDING = frozenset({"reflect", "replicate"})
"""the paddings whose own gradient needs their input"""


def saving(m: Interpreter, op: Op, call: Call) -> Case:
    """The case that fits, with the input among what is saved: whether it is, `unpadded` says."""
    case = by_conditions(op, call)
    saved = saves_of(op, case, "input")
    return case if all(s in case.saves for s in saved) else replace(case, saves=(*saved[:1], *case.saves))


def unpadded(m: Interpreter, call: Call) -> dict[str, Grad]:
    """When the input is saved itself; by a padding that saves it where that is differentiated."""
    mode = usual(call.option(m, "padding_mode", "zeros"))
    given = call.tensors.get("input", ())
    if mode in SAVED_BY_PADDING and given:
        return {"input": m.grad.requires_grad(given[0])}
    return {"input": mode != "circular" and not pads_one_side_more(m, call)}


def pads_one_side_more(m: Interpreter, call: Call) -> bool:
    """Whether a padding of "same" is known to be larger on one side."""
    if usual(call.option(m, "padding", 0)) != "same":
        return False
    sizes = one_or_more(m, call.option(m, "kernel_size", None))
    if (weight := next(iter(call.tensors.get("weight", ())), None)) is not None:
        sizes = (weight.shape or ())[2:]
    wide = one_or_more(m, call.option(m, "dilation", 1))
    pairs = zip(sizes, wide * len(sizes) if len(wide) == 1 else wide, strict=False)
    return any(isinstance(n, int) and isinstance(d, int) and d * (n - 1) % 2 for n, d in pairs)


def usual(v: Value) -> Value:
    """An option, or its default where it isn't known."""
    return v.usual if isinstance(v, Unknown) else v


FAMILIES = {
    (
        *functions("conv1d conv2d conv3d"),
        *functional("conv1d conv2d conv3d"),
        *modules("Conv1d Conv2d Conv3d"),
    ): Family(case=saving, keeps=unpadded),
}
