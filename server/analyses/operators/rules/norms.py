"""Operators that bring their input into the order of its memory first: of another layout they save that copy alone.

x = torch.rand(2, 5, 8).transpose(1, 2)
y = nn.GroupNorm(2, 8)(x)       # saves a copy of x (`group_norm` of `native/group_norm.cpp`)
x.mul_(2)                       # harmless
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from ..cases import called
from ..conversions import guess
from ..layouts import is_by_pixels
from .names import functional, functions, modules

if TYPE_CHECKING:
    from ...autograd.geometry import Geometry
    from ...autograd.tensors import Grad
    from ..interpreter import Interpreter


def in_order(m: Interpreter, call: Call) -> dict[str, Grad]:
    """Whether the input is saved itself: if it is contiguous, or a result of which nothing else is known."""
    kept: dict[str, Grad] = {}
    for t in call.tensors.get("input", ()):
        g = t.geometry
        answer = is_in_order(g, called(call.name)) if g is not None else True if t.base is None else None
        kept["input"] = answer if answer is not None else frozenset({guess(f"{called(call.name)} needs no copy", t, m)})
    return kept


def is_in_order(g: Geometry, name: str) -> bool | None:
    """Whether a tensor lies in the order that an operator asks for; `group_norm` also takes images by pixels."""
    answers = [g.is_usually_contiguous(), is_by_pixels(g) if name in ("group_norm", "GroupNorm") else False]
    return True if True in answers else None if None in answers else False


FAMILIES = {
    (
        *functions("group_norm instance_norm pdist"),
        *functional("group_norm instance_norm pdist"),
        *modules("GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d"),
    ): Family(keeps=in_order),
}
