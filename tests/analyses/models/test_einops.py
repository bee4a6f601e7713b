"""Patterns of einops: views, copies and reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("einops")

PATTERNS = (
    "rearrange(x, 'a b c -> c a b')",
    "rearrange(x, 'a b c -> a (b c)')",
    "rearrange(x, 'a b c -> b (a c)')",
    "rearrange(x, 'a (b d) c -> a b d c', d=2)",
    "rearrange(x, '... c -> c ...')",
    "rearrange(x, 'a b c -> a b c')",
    "repeat(x, 'a b c -> n a b c', n=2)",
    "repeat(x, 'a b c -> (n a) b c', n=2)",
    "reduce(x, 'a b c -> a c', 'mean')",
    "reduce(x, 'a b c -> a', 'max')",
    "Rearrange('a b c -> a (b c)')(x)",
)

TEMPLATE = """
import torch
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange

torch.manual_seed(0)
leaf = torch.randn(2, 4, 3, requires_grad=True)
x = leaf * 2
"""


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_write_through_what_a_pattern_gives(tmp_path: Path, pattern: str) -> None:
    lines = f"x_sin = x.sin()\nr = {pattern}\nr.mul_(2)\n(x_sin.sum() + r.sum()).backward()\n"
    assert_agreement(tmp_path, TEMPLATE + lines)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("changed", ["x", "r"])
def test_a_change_after_a_pattern(tmp_path: Path, pattern: str, changed: str) -> None:
    lines = f"r = {pattern}\ny = r.sum()\nwith torch.no_grad(): {changed}.zero_()\ny.backward()\n"
    assert_agreement(tmp_path, TEMPLATE + lines)


def test_queries_scaled_in_place(tmp_path: Path) -> None:
    kinds = assert_agreement(
        tmp_path,
        """
        import torch
        from torch import nn
        from einops import rearrange

        proj = nn.Linear(6, 18)
        q, k, v = proj(torch.randn(2, 5, 6)).chunk(3, dim=-1)
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=2) for t in (q, k, v))
        scores = q @ k.transpose(-1, -2)
        k *= 0.5
        (scores @ v).sum().backward()
        """,
    )
    assert len(kinds) == 1
