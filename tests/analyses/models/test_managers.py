"""Context managers that are entered by hand, or asynchronous: held against PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

PAUSED = """\
import torch
from torch import nn


class Pause:
    # no gradients between `start` and `stop`

    def __init__(self):
        self.mode = torch.no_grad()

    def start(self):
        self.mode.__enter__()

    def stop(self):
        self.mode.__exit__(None, None, None)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid())
x = torch.rand(5, 3)
pause = Pause()
pause.start()
target = net(x)
pause.stop()
"""
CENTRED = """\
features = net(x)
loss = (features - target).square().mean()
features -= features.mean()
(loss + features.abs().mean()).backward()
"""
QUIET = """\
target -= target.mean()
(net(x) * target).mean().backward()
"""

MASKED = """\
import asyncio
from contextlib import asynccontextmanager

import torch


@asynccontextmanager
async def masked(scores, mask):
    try:
        yield scores
    finally:
        scores.masked_fill_(mask, 0)


async def train(weight):
    x = torch.rand(4, 3)
    scores = torch.softmax(x @ weight, -1)
    async with masked(scores, x < 0.5) as visible:
        loss = (visible * x).sum()
INDENTloss.backward()
    print(loss.item(), weight.grad.norm().item())


torch.manual_seed(0)
asyncio.run(train(torch.rand(3, 3, requires_grad=True)))
"""


@pytest.mark.parametrize(("rest", "kinds"), [(CENTRED, {"stale-saved"}), (QUIET, set())])
def test_a_mode_that_is_entered_by_hand(rest: str, kinds: set[str], tmp_path: Path) -> None:
    assert assert_agreement(tmp_path, PAUSED + rest) == kinds


@pytest.mark.parametrize(("indent", "kinds"), [("    ", {"stale-saved"}), ("        ", set())])
def test_an_asynchronous_manager(indent: str, kinds: set[str], tmp_path: Path) -> None:
    assert assert_agreement(tmp_path, MASKED.replace("INDENT", indent)) == kinds
