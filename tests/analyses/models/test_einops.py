"""Patterns of einops: views, copies and reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement, happens, told

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
    "pack([x], 'a * c')[0]",
    "pack([x, x.sum(1)], 'a * c')[0]",
    "unpack(x, [(2, 2)], 'a * c')[0]",
    "unpack(x, [(3,), ()], 'a * c')[0]",
    "unpack(*pack([x], 'a *'), 'a *')[0]",
)

TEMPLATE = """
import torch
from einops import pack, rearrange, reduce, repeat, unpack
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


@pytest.mark.parametrize(
    "pattern", ["b n (h d) -> b h n d", "b n (h d) -> b h d n", "b n d -> b 1 n d", "b n d -> d n b"]
)
def test_what_never_copies_is_a_view_whatever_the_sizes_are(tmp_path: Path, pattern: str) -> None:
    """A module whose caller alone knows the sizes."""
    module = f"""\
import torch
from torch import nn
from einops import rearrange

class Attention(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3)

    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q = rearrange(q, "{pattern}"{", h=self.heads" if "h" in pattern else ""})
        q *= 0.5
        return q.sum() + k.sum()
"""
    assert told(module) == happens(tmp_path, module + "\nAttention(4)(torch.randn(2, 3, 4)).backward()\n") != set()


HEADS = """
import torch
from torch import nn
from einops import rearrange

class Heads(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = {layer}

    def forward(self, x):
        {names} = {shape}
        h = self.heads
        q, k, v = self.qkv(x).chunk(3, dim={dim})
        q = rearrange(q, {pattern}, h=h)
        q += 1
        return q.exp()
"""

ROWS = {"layer": "nn.Linear(dim, dim * 3)", "names": "b, n, d", "shape": "x.shape", "dim": "-1"}
IMAGES = {"layer": "nn.Conv2d(dim, dim * 3, 1)", "names": "s, b, d, y, x_", "shape": "1, *x.shape", "dim": "1"}

OF_PIECES = {
    "heads of rows": (ROWS, "'b n (h d) -> b h n d'"),
    "heads of rows, as one batch": (ROWS, "'b n (h d) -> (b h) n d'"),
    "rows as one": (ROWS, "'b n (h d) -> (b n) h d'"),
    "all of a row": (ROWS, "'b n (h d) -> b (n h) d'"),
    "heads of images": (IMAGES, "'b (h d) x y -> b h (x y) d'"),
    "heads of images, as one batch": (IMAGES, "'b (h d) x y -> (b h) (x y) d'"),
    "images on their side": (IMAGES, "'b (h d) x y -> b h (y x) d'"),
}


@pytest.mark.parametrize("name", OF_PIECES)
def test_whether_a_piece_of_unknown_size_is_copied(tmp_path: Path, name: str) -> None:
    given, pattern = OF_PIECES[name]
    text = HEADS.format(**given, pattern=pattern)
    sizes = "2, 3, 4" if given is ROWS else "2, 4, 3, 5"
    truth = happens(tmp_path, f"{text}\nHeads(4, 2)(torch.randn({sizes})).sum().backward()\n")
    assert told(text) == truth
