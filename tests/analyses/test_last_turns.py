"""Loops to an unknown bound: what one leaves is what its last turn has left."""

from __future__ import annotations

import pytest

from .refused import told_of_refused, told_of_working

MADE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size, depth):
        super().__init__()
        layers = []
        {loop}:
            layers.append(nn.Linear(size, size))
            if {asked}:
                layers.append(nn.ReLU(inplace=True))
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        x = self.body(x)
        x += 1
        return x
"""
LOOPS = {
    "up to the number": ("for i in range(depth)", "i < depth - 1"),
    "the other way round": ("for i in range(depth)", "depth > i + 1"),
    "unequal": ("for i in range(depth)", "i != depth - 1"),
    "negated": ("for i in range(depth)", "not i == depth - 1"),
    "from one on": ("for i in range(1, depth + 1)", "i < depth"),
    "up to a sum": ("for i in range(0, depth + 2)", "i <= depth"),
    "of other numbers": ("for i in range(depth + size)", "i < depth + size - 1"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_what_all_turns_but_the_last_add_does_not_come_last(name: str) -> None:
    loop, asked = LOOPS[name]
    text = MADE.format(loop=loop, asked=asked)
    assert told_of_working(text, "Net(3, 3)(torch.rand(2, 3))") == []


@pytest.mark.parametrize("asked", ["i == depth - 1", "i >= depth - 1", "i > 0", "i >= 0"])
def test_what_the_last_one_adds_does(asked: str) -> None:
    text = MADE.format(loop="for i in range(depth)", asked=asked)
    found = told_of_refused(text, "Net(3, 3)(torch.rand(2, 3))")
    assert "`Net` is trained" in found.words.when


def test_the_turns_before_are_followed_too() -> None:
    text = MADE.format(loop="for i in range(depth)", asked="i < depth - 1").replace(
        "nn.ReLU(inplace=True)", "nn.Sequential(nn.Sigmoid(), nn.ReLU(inplace=True))"
    )
    found = told_of_refused(text, "Net(3, 3)(torch.rand(2, 3))")
    assert "`Sigmoid` (line" in found.words.message
