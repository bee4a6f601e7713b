"""Arithmetic, which makes a tensor of a number that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from .names import both, functions, methods

if TYPE_CHECKING:
    from ..interpreter import Interpreter

NAMES = "add sub subtract mul multiply div divide true_divide floor_divide"


def seen(m: Interpreter, call: Call) -> bool | None:
    """Autograd sees a call with a number: it goes on with the tensor that was made of that."""
    number = not all(call.tensors.get(p) for p in ("input", "other") if p in call.values)
    return True if number else None


FAMILIES = {
    (*both(NAMES), "operator.add", "operator.sub", "operator.mul"): Family(makes_tensor=True, seen=seen),
    (*methods(" ".join(f"{name}_" for name in NAMES.split())), *both("fmod remainder"), *functions("rsub")): Family(
        seen=seen
    ),
}
