"""Layers that a loop of unknown length puts into a row, several in each turn: behind the last comes the first again."""

from __future__ import annotations

import pytest
from gradguard.rules.rule import Severity

from .refused import told_of_refused, told_of_working

HEAD = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, size, count=2):
        super().__init__()
        {filled}

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""
FILLED = {
    "one by one": """\
self.layers = nn.ModuleList()
        for _ in range(count):
            self.layers.append(nn.Linear(size, size))
            self.layers.append({second})
            self.layers.append(nn.ReLU(inplace=True))
""",
    "a list": """\
layers = []
        for _ in range(count):
            layers += [nn.Linear(size, size), {second}, nn.ReLU(inplace=True)]
        self.layers = nn.ModuleList(layers)
""",
    "behind a first one": """\
layers = [nn.Linear(size, size)]
        for _ in range(count):
            layers.extend((nn.LayerNorm(size), {second}, nn.ReLU(inplace=True)))
        self.layers = nn.ModuleList(layers)
""",
}


@pytest.mark.parametrize("name", FILLED)
def test_an_activation_in_place_comes_behind_what_it_stands_behind(name: str) -> None:
    text = HEAD.format(filled=FILLED[name].format(second="nn.LayerNorm(size)"))
    assert told_of_working(text, "Head(3)(torch.rand(2, 3))") == []


@pytest.mark.parametrize("name", FILLED)
def test_what_it_writes_to_is_told(name: str) -> None:
    text = HEAD.format(filled=FILLED[name].format(second="nn.Sigmoid()"))
    found = told_of_refused(text, "Head(3)(torch.rand(2, 3))")
    assert found.severity is Severity.WARNING
    assert "`Sigmoid` (line" in found.words.message
