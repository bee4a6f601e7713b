"""`scaled_dot_product_attention`: what it saves depends on the kernel that is used on the CPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...autograd.geometry import Geometry
from ...autograd.tensors import Tensor
from ...domain.registry import model
from ...operators import calls_by_name, cases, replay
from ...operators.rules.products import expanded

if TYPE_CHECKING:
    from ....facts.model import Case
    from ...autograd.tensors import Grad
    from ...domain.values import Args, Value
    from ...operators.call import Call
    from ...python.machine import Machine

NAME = "torch.nn.functional.scaled_dot_product_attention"


@model(NAME)
def attention(m: Machine, args: Args) -> Value:
    """`scaled_dot_product_attention(query, key, value, …)` (`native/transformers/attention.cpp`).

    The flash kernel saves its inputs and its result, whose layout has the heads inside; the formula saves the values,
    and weights of its own.
    """
    plain = calls_by_name.resolved(m, args)
    if plain is None:
        return calls_by_name.split(m, args, lambda one: attention(m, one))
    op = m.facts.table.operator(NAME)
    assert op is not None
    call = replay.prepare(m, op, plain)
    case = cases.choose(m, op, call)
    flash = is_flash(m, call)
    if flash is not None:
        case, call.kept = told(m, op.cases, call, flash)
    result = replay.replay(m, case, call, "")
    if flash and isinstance(result, Tensor) and result.shape is not None:
        batch, heads, length, width = result.shape
        m.state.put(result, Tensor.geometry_, Geometry.contiguous((batch, length, heads, width)).transpose(1, 2))
    return result


def is_flash(m: Machine, call: Call) -> bool | None:
    """Whether the CPU's flash kernel is used (`use_flash_attention_cpp` of `transformers/sdp_utils_cpp.cpp`)."""
    inputs = [t for name in ("query", "key", "value") for t in call.tensors.get(name, ())]
    shapes = [t.shape for t in inputs if t.shape is not None]
    if len(shapes) < 3:
        return None
    mask = [m.grad.requires_grad(t) for t in call.tensors.get("attn_mask", ())]
    dropout = call.values.get("dropout_p", 0.0)
    last = {shape[-1] for shape in shapes if shape}
    strided = any(t.geometry is not None and t.geometry.strides[-1] not in (1, None) for t in inputs)
    if any(len(shape) != 4 for shape in shapes) or True in mask or len(last - {None}) > 1 or strided:
        return False
    return dropout == 0 if isinstance(dropout, (int, float)) else None


def told(m: Machine, cases: tuple[Case, ...], call: Call, flash: bool) -> tuple[Case, dict[str, Grad]]:
    """The case for a kernel, and the arguments that it saves itself; a mask of bools is converted to numbers first."""
    case = max(cases, key=lambda c: len(c.saves)) if flash else cases[-1]
    masks, values = call.tensors.get("attn_mask", ()), call.tensors["value"]
    kept: dict[str, Grad] = {"attn_mask": all(t.dtype != "bool" for t in masks)}
    first = values[0]
    if not flash and isinstance(first, Tensor) and first.shape is not None:
        kept["value"] = expanded(m, first, first.shape[:-2])
    return replace(case, saves=tuple(replace(s, certain=True) for s in case.saves)), kept
