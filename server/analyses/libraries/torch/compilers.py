"""Functions that say whether a compiler or tracer is at work: in the replay, as in plain Python, none is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain.registry import model

if TYPE_CHECKING:
    from ...domain.values import Args, Value
    from ...python.machine import Machine

AT_WORK = (
    "torch.jit.is_scripting",
    "torch.jit.is_tracing",
    "torch.compiler.is_compiling",
    "torch.compiler.is_dynamo_compiling",
    "torch.compiler.is_exporting",
    "torch._dynamo.is_compiling",
    "torch._utils.is_compiling",
    "torch.onnx.is_in_onnx_export",
    "torch.fx._symbolic_trace.is_fx_tracing",
)


def at_work(m: Machine, args: Args) -> Value:
    """Whether a compiler is at work: False."""
    return False


for _name in AT_WORK:
    model(_name)(at_work)
