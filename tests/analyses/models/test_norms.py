"""Operators that save a copy of an input that isn't in order: a change of such an input is harmless."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.program.session import Session
from gradguard.rules.diagnostic import diagnose
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse

from ..replaying import Alone
from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

LAYOUTS = {
    "contiguous": "torch.rand(2, 8, 4, 6)",
    "transposed": "torch.rand(2, 8, 6, 4).transpose(2, 3)",
    "channels last": "torch.rand(2, 8, 4, 6).to(memory_format=torch.channels_last)",
    "cut": "torch.rand(2, 8, 4, 12)[..., ::2]",
}
CALLS = {
    "GroupNorm": "torch.nn.GroupNorm(2, 8)(x)",
    "group_norm": "torch.nn.functional.group_norm(x, 4, torch.ones(8, requires_grad=True))",
    "InstanceNorm2d": "torch.nn.InstanceNorm2d(8, affine=True)(x)",
    "instance_norm": "torch.nn.functional.instance_norm(x, weight=torch.ones(8, requires_grad=True))",
    "pdist": "torch.pdist(x[0, 0])",
}


@pytest.mark.parametrize(("call", "layout"), [*product(CALLS, LAYOUTS)])
def test_an_input_that_is_not_in_order_is_copied_first(call: str, layout: str, tmp_path: Path) -> None:
    given = f"x = {LAYOUTS[layout]}.requires_grad_(True) * 1" if call == "pdist" else f"x = {LAYOUTS[layout]}"
    assert_agreement(tmp_path, f"import torch\n{given}\ny = {CALLS[call]}\nx.mul_(2)\ny.sum().backward()\n")


PRODUCTS = {
    "matmul": "a @ v",
    "einsum": "torch.einsum('b h i j, b h j d -> b h i d', a, v)",
}
ATTENTION = """
import torch
from torch import nn

class Attention(nn.Module):
    def forward(self, x, v):
        a = {made}
        y = {product}
        a *= 0.5
        return y
"""
MADE = {
    "x.cos()": 1,
    "x.cos().permute(0, 3, 1, 2)": 0,
    "x.cos().reshape(2, -1, 4, 4)": 1,
    "x.reshape(2, 4, -1, 4).cos().transpose(1, 2)": 0,
    "x.cos().reshape(2, 4, -1, 4).transpose(1, 2).contiguous()": 1,
}


@pytest.mark.parametrize(("name", "made"), [*product(PRODUCTS, MADE)])
def test_a_product_copies_what_was_permuted_whatever_its_sizes_are(name: str, made: str) -> None:
    session = Session(Alone())
    report = session.replay([parse(ATTENTION.format(made=made, product=PRODUCTS[name]), "main.py")])
    assert len([one for one in diagnose(report) if one.severity <= Severity.WARNING]) == MADE[made]
