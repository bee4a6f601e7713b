"""Reductions: those that give named tuples, and products of nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from .names import both

if TYPE_CHECKING:
    from ...autograd.gradients import Times
    from ...autograd.tensors import Tensor
    from ..interpreter import Interpreter


def nothing_to_reduce(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """Whether a product is of a tensor without dimensions, or over none."""
    dim = call.values.get("dim")
    if dim == ():
        return True
    return None if source.shape is None else dim is None and source.shape == ()


def quantile(m: Interpreter, call: Call) -> Times:
    """Between two ranks the result is moved in place, and a row of them brought to the front."""
    how, q = call.option(m, "interpolation", "linear"), next(iter(call.tensors.get("q", ())), None)
    moved = (int(how in ("linear", "midpoint")),) * 2 if isinstance(how, str) else (0, 1)
    shape = q.shape if q is not None else ()
    rows = (0, 2) if shape is None else (2 * len(shape),) * 2
    return 1 + moved[0] + rows[0], 1 + moved[1] + rows[1]


FAMILIES = {
    both("prod"): Family(unchanged=nothing_to_reduce, finds_out=True),
    both("quantile nanquantile"): Family(writes=quantile, always=True, unseen_writes=quantile),
    both("max min sort topk median nanmedian mode kthvalue cummax cummin"): Family(fields=("values", "indices")),
    both("aminmax"): Family(fields=("min", "max")),
}
