"""`torch.nn.init`: what writes its argument more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from .names import within

if TYPE_CHECKING:
    from ....facts.model import Mutation
    from ...autograd.gradients import Times
    from ..interpreter import Interpreter


def dirac(m: Interpreter, call: Call, change: Mutation) -> Times | None:
    """Cleared, and a one put for each channel that has a place in its group."""
    g, groups = call.layout("tensor"), call.option(m, "groups", 1)
    if g is None or g.ndim < 2 or not isinstance(groups, int):
        return None
    out, each = g.shape[:2]
    return (1 + groups * min(out // groups, each),) * 2 if out is not None and each is not None else None


def sparse(m: Interpreter, call: Call, change: Mutation) -> Times | None:
    """Filled, and then thinned out column by column."""
    g = call.layout("tensor")
    return (1 + g.shape[1],) * 2 if g is not None and g.ndim == 2 and g.shape[1] is not None else None


def trunc_normal(m: Interpreter, call: Call, change: Mutation) -> Times | None:
    """Copied to from a second draw, if the first has left the bounds."""
    return 1, 2


FAMILIES = {
    within("nn.init", "dirac dirac_"): Family(changes=dirac),
    within("nn.init", "sparse sparse_"): Family(changes=sparse),
    within("nn.init", "trunc_normal_"): Family(changes=trunc_normal),
}
