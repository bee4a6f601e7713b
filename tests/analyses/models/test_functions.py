"""Custom functions: their backward runs when PyTorch's backward reaches them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import torch
from torch.autograd.function import once_differentiable


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod{decorated}
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        {body}
        return g * w, g * x


x = torch.randn(3, requires_grad=True)
w = torch.randn(3, requires_grad=True)
loss = Scale.apply(Scale.apply(x, w), w).sum()
{backward}
"""

BODIES = {
    "a saved tensor of both calls": "w.mul_(2)",
    "the gradient": "g = g.clone().mul_(2)",
    "a leaf of its own": "x.detach().requires_grad_().add_(1)",
    "a leaf of its own, with gradients on": "torch.set_grad_enabled(True); x.detach().requires_grad_().add_(1)",
    "a second graph": "torch.set_grad_enabled(True); y = w.exp(); y.add_(1); torch.autograd.grad(y.sum(), w)",
}


@pytest.mark.parametrize("backward", ["loss.backward()", "torch.autograd.grad(loss, x)"])
@pytest.mark.parametrize("decorated", ["", "\n    @once_differentiable"], ids=["plain", "once_differentiable"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_backward_does(tmp_path: Path, body: str, decorated: str, backward: str) -> None:
    assert_agreement(tmp_path, PROGRAM.format(body=body, decorated=decorated, backward=backward))


def test_create_graph_runs_it_with_gradients_on(tmp_path: Path) -> None:
    body = "v = torch.zeros(3, requires_grad=True); v.add_(1)"
    assert_agreement(tmp_path, PROGRAM.format(body=body, decorated="", backward="loss.backward(create_graph=True)"))


GRADIENTS = {"one": "g", "a tuple of one": "(g,)", "two": "g, g", "two and None": "g, g, None", "three": "g, g, g"}


@pytest.mark.parametrize("returned", GRADIENTS.values(), ids=GRADIENTS)
def test_backward_returns_a_gradient_for_each_input(tmp_path: Path, returned: str) -> None:
    program = PROGRAM.replace("return g * w, g * x", f"return {returned}")
    assert_agreement(tmp_path, program.format(body="", decorated="", backward="loss.backward()"))


MARKED = """
import torch


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return {returned}

    @staticmethod
    def backward(ctx, *grads):
        return grads[0] * 2


x = torch.ones(3, requires_grad=True) * 1
with torch.set_grad_enabled({mode}):
    y = Twice.apply(x)
"""


@pytest.mark.parametrize("mode", [True, False])
@pytest.mark.parametrize("returned", ["x", "x + 1", "x, x + 1", "x[:1]"])
def test_what_is_marked_as_changed_is_returned(tmp_path: Path, returned: str, mode: bool) -> None:
    assert_agreement(tmp_path, MARKED.format(returned=returned, mode=mode))
