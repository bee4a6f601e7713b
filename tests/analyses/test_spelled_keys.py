"""A text that is known in part is no other text: `"conv" + str(i)` is not `"norm"`."""

from __future__ import annotations

import pytest

from .refused import told_of_refused, told_of_working

TEXT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, n: int = 2):
        super().__init__()
        self.n = n
        self.conv = nn.Linear(3, 3)
        self.end = nn.Sigmoid()
        for i in range(n):
            self.add_module({added}, nn.Linear(3, 3))

    def forward(self, x):
        x = x * 2
        for i in range(self.n):
            y = self._modules[{key}](x)
            {changed}
            x = y
        return x
"""
USE = "Net()(torch.ones(3, requires_grad=True))"
OTHERS = ("'l' + str(i)", "f'l{i}'", "'l%d' % i", "'l{}'.format(i)")


@pytest.mark.parametrize("key", OTHERS)
def test_no_other_module_has_that_name(key: str) -> None:
    assert told_of_working(TEXT.format(added=key, key=key, changed="y += 1"), USE) == []


def test_the_only_one_that_may_have_it_is_meant() -> None:
    text = """\
import torch

ACTIVATIONS = {"relu6": torch.relu, "sigmoid": torch.sigmoid, "sine": torch.sin}


class Net(torch.nn.Module):
    def __init__(self, kind: str):
        super().__init__()
        self.activation = ACTIVATIONS["sig" + kind]

    def forward(self, x):
        y = self.activation(x)
        y += 1
        return y
"""
    found = told_of_refused(text, "Net('moid')(torch.ones(3, requires_grad=True))")
    assert "`sigmoid` (line " in found.words.message


@pytest.mark.parametrize(
    ("test", "holds"), [("'a' + s == 'ab'", True), ("'a' + s == 'b'", False), ("f'{s}a' == 3", False)]
)
def test_it_equals_only_what_has_these_parts(test: str, holds: bool) -> None:
    text = f"""\
import torch


def compute(s: str):
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    if {test}:
        y += 1
    y.sum().backward()
"""
    assert bool(told_of_working(text, "torch.ones(1, requires_grad=True)")) is holds
