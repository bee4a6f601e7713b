"""Mixed precision: what is saved is a cast, or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

SETUP = """
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(4, 3, requires_grad=True) * 1
w = torch.randn(3, 3, requires_grad=True) * 1
layer = nn.Linear(3, 3)
y = torch.randn(4, 3)
"""

OPERATIONS = (
    "x @ w",
    "F.linear(x, w)",
    "layer(x)",
    "torch.einsum('ij,jk->ik', x, w)",
    "x * w.sum()",
    "(x @ w).exp()",
    "(x @ w) * y",
    "F.mse_loss(x, y)",
    "F.mse_loss(x @ w, y)",
    "F.layer_norm(x, (3,))",
    "x ** 2",
    "F.gelu(x @ w)",
)


@pytest.mark.parametrize("changed", ["x", "w", "layer.weight", "result"])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("mode", ["torch.autocast('cpu')", "torch.amp.autocast('cpu', enabled=False)"])
def test_a_change_after_the_region(tmp_path: Path, mode: str, operation: str, changed: str) -> None:
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
with {mode}:
    result = {operation}
loss = result.float().sum()
with torch.no_grad():
    {changed}.mul_(1)
loss.backward()
""",
    )


@pytest.mark.parametrize("operation", ["h.mul_(2)", "h.mul(2)"])
@pytest.mark.parametrize("saver", ["F.mse_loss(h, y)", "F.gelu(h)", "h.softmax(-1)", "h.sin()"])
def test_a_result_of_low_precision(tmp_path: Path, saver: str, operation: str) -> None:
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
with torch.autocast("cpu", dtype=torch.bfloat16):
    h = layer(x)
    loss = {saver}.sum()
    {operation}
loss.backward()
""",
    )


@pytest.mark.parametrize("enabled", [True, False])
def test_two_losses_and_a_scaler(tmp_path: Path, enabled: bool) -> None:
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
scaler = torch.amp.GradScaler("cpu", enabled={enabled})
out = net(y)
scaler.scale(out.mean()).backward(retain_graph=True)
scaler.unscale_(optimizer)
nn.utils.clip_grad_norm_(net.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
schedule.step()
scaler.scale(out.square().mean()).backward()
""",
    )


@pytest.mark.parametrize("order", [("update", "backward"), ("backward", "update")])
def test_an_averaged_model_is_updated(tmp_path: Path, order: tuple[str, str]) -> None:
    lines = {"update": "averaged.update_parameters(net)", "backward": "loss.backward()"}
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
from torch.optim.swa_utils import AveragedModel

net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
averaged = AveragedModel(net)
loss = averaged(y).mean()
{lines[order[0]]}
{lines[order[1]]}
""",
    )
