"""The versions of gradients: what the engine adds up in place, takes over or copies, held against PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..oracle.client import trace_versions
from .replaying import replayed

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """
import torch
from torch import nn
x = torch.rand(3, requires_grad=True)
z = x * 1
a, b = z.exp(), z.sin()
"""

GRADIENTS = (
    "torch.autograd.grad(a.sum() + b.sum(), z)",
    "torch.autograd.grad(a.sum() + b.sum() + z.sum(), x)",
    "torch.autograd.grad(a.sum() + b.sum() + z.sum() + a.mean(), x, create_graph=True)",
    "torch.autograd.grad(a.sum() + (z + b).sum(), x)",
    "torch.autograd.grad((z + z).sum(), x)",
    "torch.autograd.grad((z + z + z).exp().sum(), x)",
    "torch.autograd.grad(a[0] + a[1:].sum() + b.max(), (x, a))",
    "torch.autograd.grad(sum(a.unbind()) + torch.cat([a, b]).sum(), x)",
    "torch.autograd.grad((a * b).view(3, 1).expand(3, 2).sum() + a.unsqueeze(0).exp().sum(), z)",
    "torch.autograd.grad(a.index_select(0, torch.tensor([0, 1])).sum() + b.prod(), x)",
    "torch.autograd.grad(a, (z, b), torch.ones(3), allow_unused=True, materialize_grads=True)",
)

STORED = (
    "x.sum().backward()",
    "(x * 2).sum().backward()",
    "(x * 2).sum().backward()\nx.exp().sum().backward()",
    "((x * 2).sum() + x.exp().sum()).backward()",
    "((x * 2).sum() + x.exp().sum()).backward(create_graph=True)",
    "(x * 1 + x * 2 + x).sum().backward()",
    "y = torch.rand(3, requires_grad=True)\n(y + x).exp().sum().backward()\nh = y.grad",
    "y = torch.rand(3, requires_grad=True)\n(x + y).exp().sum().backward()\nh = y.grad",
    "y = x.clone()\ny[0] = a[1]\ny.sum().backward()",
    "y = x.clone()\ny[1:] *= a[1:]\ny.mul_(b)\ny.sum().backward()",
    "n = nn.Linear(3, 2)\nn(x).sum().backward()\nh = n.weight.grad\nk = n.bias.grad",
)


@pytest.mark.parametrize(
    "text",
    [*(f"g, *h = {text}\nh = h[0] if h else g" for text in GRADIENTS), *(f"{text}\ng = x.grad" for text in STORED)],
)
def test_a_gradient_has_the_version_that_it_has_in_pytorch(tmp_path: Path, text: str) -> None:
    path = tmp_path / "main.py"
    path.write_text(f"{HEAD}{text}\n")
    last = {row.name: row.version for row in trace_versions(path)}
    ours = replayed(f"{HEAD}{text}\n")
    found = {name: ours.machine.grad.version(ours.names[name]).number for name in last if name in "ghk"}
    assert found
    assert found == {name: last[name] for name in found}


def test_what_a_backward_of_the_program_is_handed_is_known(tmp_path: Path) -> None:
    text = f"""{HEAD}
seen = []

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, grad):
        seen.append(grad)
        return grad * 2

y = Twice.apply(x)
(y.exp().sum() + y.sin().sum()).backward()
g = seen[0]
"""
    path = tmp_path / "main.py"
    path.write_text(text)
    ours = replayed(text)
    assert [row.version for row in trace_versions(path) if row.name == "g"] == [1]
    assert ours.machine.grad.version(ours.names["g"]).number == 1
