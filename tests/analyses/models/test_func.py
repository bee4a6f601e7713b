"""Functions that transform functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

SETUP = """
import torch
from torch import nn
from torch.autograd import functional
from torch.func import functional_call, grad, grad_and_value, jacrev, vjp, vmap

torch.manual_seed(0)
leaf = torch.randn(3, requires_grad=True)
x = leaf * 2
net = nn.Linear(3, 3)
"""

TRANSFORMS = ("grad(f)(x)", "grad_and_value(f)(x)", "jacrev(f)(x)", "vjp(f, x)", "functional.jacobian(f, x)",
              "functional.hessian(f, x)", "functional.vjp(f, x)")  # fmt: skip


@pytest.mark.parametrize("body", ["t.sin().sum()", "t.mul_(2).sum()"])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_what_the_function_does_to_its_argument(tmp_path: Path, transform: str, body: str) -> None:
    assert_agreement(tmp_path, f"{SETUP}\n\ndef f(t):\n    return {body}\n\n\n{transform}\n")


@pytest.mark.parametrize("transform", ["vmap(f)(x)", "f(x)"])
@pytest.mark.parametrize("changed", ["x", "y"])
def test_a_change_after_vmap(tmp_path: Path, changed: str, transform: str) -> None:
    lines = f"def f(t):\n    return t.exp()\n\n\ny = {transform}\nloss = y.sum()\n{changed}.mul_(2)\nloss.backward()\n"
    assert_agreement(tmp_path, f"{SETUP}\n\n{lines}")


@pytest.mark.parametrize("changed", ["w", "net.weight", "x"])
def test_other_parameters_for_one_call(tmp_path: Path, changed: str) -> None:
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
w = torch.randn(3, 3, requires_grad=True) * 1
y = functional_call(net, {{"weight": w}}, (x,))
with torch.no_grad():
    {changed}.mul_(2)
(y.sum() + net.bias.sum()).backward()
""",
    )


def test_the_inner_loop_of_meta_learning(tmp_path: Path) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + """
fast = dict(net.named_parameters())
for _ in range(2):
    loss = functional_call(net, fast, (x,)).square().mean()
    grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
    fast = {k: p - 0.1 * g for (k, p), g in zip(fast.items(), grads)}
outer = functional_call(net, fast, (x,)).square().mean()
with torch.no_grad():
    net.weight.mul_(0.9)
outer.backward()
""",
    )
    assert kinds == {"stale-saved"}


RELOADED = """
class Net(nn.Sequential):
    def forward(self, t):
        y = self[0](t)
        self.load_state_dict(self.state_dict())
        return y


net = Net(nn.Linear(3, 3))
copies = {name: w.clone() for name, w in net.named_parameters()}
loss = functional_call(net, copies, (x,)).sum()
loss.backward()
"""


def test_what_a_replaced_tensor_was_to_its_module_the_new_one_is(tmp_path: Path) -> None:
    assert_agreement(tmp_path, SETUP + RELOADED)
