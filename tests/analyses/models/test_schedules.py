"""Schedules of learning rates: what programs read of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "asked",
    [
        "group['initial_lr'] > 0",
        "schedule.base_lrs[1] > 0",
        "len(schedule.get_last_lr()) == 2",
        "len(schedule.base_lrs) == 1",
    ],
)
def test_rates_are_known_by_their_names(tmp_path: Path, asked: str) -> None:
    kinds = assert_agreement(
        tmp_path,
        f"""
        import torch
        from torch import nn

        net = nn.Linear(2, 2)
        optimizer = torch.optim.SGD([{{"params": [net.weight]}}, {{"params": [net.bias], "lr": 0.5}}], lr=0.1)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch)
        schedule.step()
        y = net(torch.ones(1, 2)).exp()
        for group in optimizer.param_groups:
            if {asked}:
                y.mul_(2)
        if schedule.last_epoch < 0:
            y = y.detach()
        y.sum().backward()
        """,
    )
    assert kinds == (set() if "== 1" in asked else {"stale-saved"})
