"""Collectives (`torch.distributed`): autograd records none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ...domain.registry import model
from ...domain.values import Args, Unknown, Value

if TYPE_CHECKING:
    from ...python.machine import Machine


@model("torch.distributed.all_reduce", "torch.distributed.broadcast", "torch.distributed.reduce")
def collective(m: Machine, args: Args) -> Value:
    """`all_reduce(t)`: a program that calls it in grad mode knows that no gradient flows through it.

    PyTorch warns, at backward, of gradients that are silently wrong.
    """
    t = m.state.pick(args.get(0, "tensor"))
    if isinstance(t, Tensor) and m.grad.grad_mode:
        m.grad.expect_none(t)
    return Unknown("a request")
