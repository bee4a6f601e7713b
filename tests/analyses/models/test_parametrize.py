"""Parameters that are computed from others at each use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

SETUP = """
import warnings

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

warnings.simplefilter("ignore")
torch.manual_seed(0)
layer = nn.Linear(3, 3)


class Symmetric(nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).T


class Exponential(nn.Module):
    def forward(self, w):
        return w.exp()

    def right_inverse(self, w):
        return w.abs().log()

"""

LEARNED = {
    "parametrizations.weight_norm(layer)": ("parametrizations.weight.original0", "parametrizations.weight.original1"),
    "parametrizations.spectral_norm(layer)": ("parametrizations.weight.original",),
    "parametrizations.orthogonal(layer)": ("parametrizations.weight.original",),
    "nn.utils.weight_norm(layer)": ("weight_g", "weight_v"),
    "nn.utils.spectral_norm(layer)": ("weight_orig",),
    "prune.l1_unstructured(layer, 'weight', 0.5)": ("weight_orig", "weight_mask"),
    "parametrize.register_parametrization(layer, 'weight', Symmetric())": ("parametrizations.weight.original",),
    "parametrize.register_parametrization(layer, 'weight', Exponential())": ("parametrizations.weight.original",),
}

CASES = [(how, name) for how, names in LEARNED.items() for name in (*names, "bias")]


@pytest.mark.parametrize(("how", "name"), CASES)
def test_what_is_learned_is_changed_before_backward(tmp_path: Path, how: str, name: str) -> None:
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
layer = {how}
x = torch.randn(2, 3, requires_grad=True)
loss = layer(x).tanh().sum()
with torch.no_grad():
    layer.{name}.mul_(1)
loss.backward()
""",
    )


@pytest.mark.parametrize("how", LEARNED)
def test_two_forwards_and_a_step_are_legal(tmp_path: Path, how: str) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + f"""
layer = {how}
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(2):
    loss = layer(torch.randn(2, 3)).sum() + layer(torch.randn(2, 3)).sum()
    loss.backward()
    optimizer.step()
""",
    )
    assert kinds == set()


@pytest.mark.parametrize("manager", ["parametrize.cached()", "torch.enable_grad()"])
def test_the_cached_weight_is_one_tensor(tmp_path: Path, manager: str) -> None:
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
layer = parametrize.register_parametrization(layer, 'weight', Exponential())
x = torch.randn(2, 3, requires_grad=True)
with {manager}:
    loss = layer(x).sum()
    layer.weight.mul_(2)
loss.backward()
""",
    )


@pytest.mark.parametrize("remove", ["parametrize.remove_parametrizations(layer, 'weight')", "None"])
def test_the_weight_is_a_leaf_again(tmp_path: Path, remove: str) -> None:
    assert_agreement(
        tmp_path,
        SETUP
        + f"""
parametrizations.spectral_norm(layer)
{remove}
layer.weight.mul_(2)
""",
    )
