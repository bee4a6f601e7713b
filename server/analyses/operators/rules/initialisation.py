"""`torch.nn.init`: what writes its argument more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from .names import within

if TYPE_CHECKING:
    from ....facts.model import Mutation
    from ...autograd.gradients import Times
    from ..interpreter import Interpreter


def dirac(m: Interpreter, call: Call, change: Mutation) -> Times:
    """Cleared, and a one put for each channel that has a place in its group."""
    g, groups = call.layout("tensor"), call.option(m, "groups", 1)
    out, each = g.shape[:2] if g is not None and g.ndim > 1 else (None, None)
    if out is None or each is None or not isinstance(groups, int):
        return 1, None
    return (1 + groups * min(out // groups, each),) * 2


def sparse(m: Interpreter, call: Call, change: Mutation) -> Times:
    """Filled, and then thinned out column by column."""
    g = call.layout("tensor")
    columns = g.shape[1] if g is not None and g.ndim == 2 else None
    return (1, None) if columns is None else (1 + columns,) * 2


def trunc_normal(m: Interpreter, call: Call, change: Mutation) -> Times:
    """Copied to from a second draw, if the first has left the bounds."""
    return 1, 2


FAMILIES = {
    within("nn.init", "dirac dirac_"): Family(changes=dirac),
    within("nn.init", "sparse sparse_"): Family(changes=sparse),
    within("nn.init", "trunc_normal_"): Family(changes=trunc_normal),
}
