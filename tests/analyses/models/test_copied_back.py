"""Weights that are overwritten unseen between forward and backward, and given back from a copy: whose content is it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import copy
import torch

net = torch.nn.Linear(3, 3)
x = torch.rand(2, 3, requires_grad=True)
kept = torch.zeros(2, 3, 3)
loss = net(x).pow(2).sum()
{save}
net.weight.data.fill_(1.0)
net.weight.data.copy_({back})
loss.backward()
"""
AS_IT_WAS = {
    "kept[1].copy_(net.weight.detach())": "kept[1]",
    "kept = torch.empty_like(net.weight); kept.data.copy_(net.weight.data)": "kept.data",
    "kept = net.weight.detach().clone()": "kept",
    "kept = copy.deepcopy(net.weight.data)": "kept",
    "kept = copy.deepcopy(net)": "kept.weight.data",
    "kept = copy.deepcopy(net.state_dict())": "kept['weight']",
}
ANOTHER = {
    "kept[1].copy_(net.weight.detach())": "kept[0]",
    "kept[0].copy_(net.weight.detach())": "kept[0].t()",
    "kept[0].copy_(net.weight.detach()); kept.add_(1)": "kept[0]",
    "kept[0].copy_(net.weight.detach()[0])": "kept[0]",
    "kept = kept.half(); kept[0].copy_(net.weight.detach())": "kept[0]",
    "kept = copy.deepcopy(net); kept.weight.data.mul_(2)": "kept.weight.data",
}


@pytest.mark.parametrize(("save", "back"), AS_IT_WAS.items())
def test_a_copy_gives_back_what_it_was_made_of(save: str, back: str, tmp_path: Path) -> None:
    assert assert_agreement(tmp_path, PROGRAM.format(save=save, back=back)) == set()


@pytest.mark.parametrize(("save", "back"), ANOTHER.items())
def test_what_is_no_longer_a_copy_gives_another_content(save: str, back: str, tmp_path: Path) -> None:
    assert assert_agreement(tmp_path, PROGRAM.format(save=save, back=back)) == {"silent-stale"}
