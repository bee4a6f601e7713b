"""The edits that `make mutants` draws: each kind is found in a text, and leaves a program."""

from __future__ import annotations

import ast

import pytest

from mutants.edits import KINDS, edits

TEXT = """\
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
        self.drop = nn.Dropout(
            p=0.5,
        )

    def forward(self, x, m):
        x = x + 1
        y = F.relu(x)
        z = x.exp() * y.clone()
        z = z.masked_fill(m, 0)
        z = torch.where(m, z, 0)
        with torch.no_grad():
            target = z.detach()
        return z - target
"""

EXPECTED = {
    "augmented": "        x += 1",
    "function": "        y = F.relu(x, inplace=True)",
    "module": "        self.act = nn.ReLU(inplace=True)",
    "method": "        z = x.exp_() * y.clone()",
    "clone": "        z = x.exp() * y",
    "masked": "        z[m] = 0",
    "detach": "            target = z",
    "no_grad": "        if True:",
    "write": "        y.clamp_(-1, 1)",
}


@pytest.fixture
def found() -> dict[str, list[str]]:
    lines = frozenset(range(1, TEXT.count("\n") + 1))
    tensors = dict.fromkeys((7, 14), frozenset({"x", "y", "z", "target"}))
    kinds: dict[str, list[str]] = {}
    for edit in edits(TEXT, lines, tensors):
        kinds.setdefault(edit.kind, []).append(edit.applied(TEXT))
    return kinds


def test_each_kind_is_drawn(found: dict[str, list[str]]) -> None:
    assert found.keys() == KINDS.keys() == EXPECTED.keys()


@pytest.mark.parametrize("kind", EXPECTED)
def test_an_edit_is_the_one_that_people_make(found: dict[str, list[str]], kind: str) -> None:
    assert any(EXPECTED[kind] in text.split("\n") for text in found[kind])


def test_every_edit_leaves_a_program(found: dict[str, list[str]]) -> None:
    for text in (text for some in found.values() for text in some):
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(TEXT))


def test_what_does_not_run_is_left_as_it_is() -> None:
    assert edits(TEXT, frozenset({1, 2, 3}), {}) == []
