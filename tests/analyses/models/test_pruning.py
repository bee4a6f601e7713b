"""Pruned tensors: the product of the original and a mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

SETUP = """
import torch
from torch import nn
from torch.nn.utils import prune


class Odd(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


layer = nn.Linear(3, 3)
"""

HOW = (
    "prune.l1_unstructured(layer, 'weight', 0.5)",
    "prune.random_unstructured(layer, name='weight', amount=2)",
    "prune.ln_structured(layer, 'weight', amount=1, n=2, dim=0)",
    "prune.random_structured(layer, 'weight', amount=1, dim=1)",
    "prune.custom_from_mask(layer, 'weight', torch.eye(3))",
    "prune.identity(layer, 'weight')",
    "prune.L1Unstructured.apply(layer, 'weight', amount=0.5)",
    "prune.global_unstructured([(layer, 'weight')], pruning_method=prune.L1Unstructured, amount=0.5)",
    "Odd.apply(layer, 'weight')",
    "prune.l1_unstructured(prune.l1_unstructured(layer, 'weight', 2), 'weight', 2)",
)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", ["weight_mask", "weight_orig", "weight"])
def test_the_mask_is_needed(tmp_path: Path, how: str, name: str) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + f"""
{how}
loss = layer(torch.randn(2, 3, requires_grad=True)).sum()
with torch.no_grad():
    layer.{name}.mul_(1)
loss.backward()
""",
    )
    assert kinds == (set() if name == "weight_orig" else {"stale-saved"})


@pytest.mark.parametrize("how", HOW)
def test_what_is_no_longer_pruned_is_a_leaf(tmp_path: Path, how: str) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + f"""
{how}
prune.remove(layer, "weight")
layer.weight.mul_(2)
""",
    )
    assert kinds == {"leaf-inplace"}


def test_whether_a_module_is_pruned_is_known(tmp_path: Path) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + """
y = torch.ones(3, requires_grad=True).exp()
if prune.is_pruned(layer):
    y.mul_(2)
prune.identity(layer, "bias")
if prune.is_pruned(nn.Sequential(layer)):
    y.mul_(1)
    y = y.detach().requires_grad_()
y.sum().backward()
""",
    )
    assert kinds == set()
