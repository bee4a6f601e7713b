"""Matrix products that PyTorch composes of simpler ones, depending on the operands' ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts.model import Op
from .. import effects, operands, shapes, torch_ops
from ..describe_types import described
from ..shapes import TensorType
from ..tensors import Tensor
from ..values import Args, Unknown, Value
from .registry import method_of, model

if TYPE_CHECKING:
    from ..machine import Machine

BY_RANKS = {(1, 1): "torch.dot", (2, 1): "torch.mv", (2, 2): "torch.mm"}
"""The product that `matmul` is for operands of these ranks (ATen/native/LinearAlgebra.cpp)."""


@model("torch.matmul", "torch.linalg.matmul")
def matmul(m: Machine, args: Args) -> Value:
    """`torch.matmul(a, b)`: both operands may be saved, the way a batched product saves them."""
    plain = torch_ops.resolved(m, args)
    if plain is None:
        return torch_ops.split(m, args, lambda one: matmul(m, one))
    out = plain.kw.get("out")
    a, b = plain.get(0, "input"), plain.get(1, "other")
    a = m.as_tensor(a) if isinstance(a, Unknown) else a
    b = m.as_tensor(b) if isinstance(b, Unknown) else b
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return Unknown("a product")
    if out is not None:
        op = torch_ops.find("torch.matmul")
        return effects.apply(m, op, plain) if op is not None else Unknown("a product")
    name = BY_RANKS.get((rank(a), rank(b)))
    if name is not None:
        op = torch_ops.find(name)
        assert op is not None
        return effects.apply(m, op, Args([a, b]))
    return batched(m, a, b)


def rank(t: Tensor) -> int:
    """A tensor's number of dimensions; an unknown one counts as a batch of matrices."""
    return len(t.shape) if t.shape is not None else 3


@method_of("torch.Tensor", "matmul", "__matmul__")
def method(m: Machine, args: Args) -> Value:
    """`a.matmul(b)`."""
    return matmul(m, args)


def batched(m: Machine, a: Tensor, b: Tensor) -> Value:
    """A product of stacks of matrices: what `bmm` does with its operands brought into shape."""
    op = torch_ops.find("torch.bmm")
    assert isinstance(op, Op)
    values, tensors = {"input": a, "other": b}, {"input": [a], "mat2": [b]}
    call = effects.Call("torch.matmul", values, tensors, kept=operands.of_matmul(m, a, b))
    inferred = shapes.infer("torch.matmul", {k: described(m, v) for k, v in values.items()})
    return effects.replay(m, op.cases[0], call, "", inferred if isinstance(inferred, TensorType) else None)
