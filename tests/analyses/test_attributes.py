"""What programs read of modules, types and tensors is what PyTorch says."""

from __future__ import annotations

import pytest
from gradguard.analyses.domain.values import Unknown

from .replaying import replayed

SETUP = """
import types

import torch
from torch import nn

conv = nn.Conv2d(1, 2, 3, padding="same")
w = torch.ones(2, requires_grad=True)
y = w * 2
kept = w * 3
kept.retain_grad()
hooked = nn.Tanh()
hooked.register_forward_pre_hook(abs).remove()
hooked.register_forward_pre_hook(lambda n: n + 1)
"""


@pytest.mark.parametrize(
    "asked",
    [
        "conv.kernel_size, conv.stride, conv.padding, conv.dilation",
        "nn.Conv1d(1, 1, 5, padding=2).padding[0] + nn.Conv3d(1, 1, 5).kernel_size[2]",
        "nn.ConvTranspose2d(1, 1, (2, 3)).output_padding, nn.ConvTranspose2d(1, 1, (2, 3)).kernel_size",
        "nn.MaxPool2d(2).stride, nn.MaxPool2d(2, 1).stride, nn.AvgPool1d(3).stride",
        "nn.LayerNorm(3).normalized_shape, nn.LayerNorm((2, 3)).normalized_shape",
        "y.dtype.is_floating_point, torch.long.is_floating_point, torch.cfloat.is_complex, torch.half.is_complex",
        "[b.dtype.is_floating_point for b in nn.BatchNorm1d(2).buffers()]",
        "w.retains_grad, y.retains_grad, kept.retains_grad",
        "y.is_sparse, y.is_quantized, y.is_meta",
        "[bool(m) for m in (nn.ModuleList(), nn.Sequential(), nn.ModuleDict(), nn.Sequential(conv), nn.Tanh())]",
        "[c.__name__ for c in type('Sub', (nn.Linear,), {}).__bases__]",
        "type('Double', (), {'x': property(lambda self: 2)})().x, hasattr(type('Plain', (), {})(), 'x')",
        "[f(2) for m in (conv, hooked) for f in m._forward_pre_hooks.values()]",
        "isinstance((k for k in 'ab'), types.GeneratorType), isinstance(range(2), types.GeneratorType)",
    ],
)
def test_attributes_are_those_of_pytorch(asked: str) -> None:
    text = f"{SETUP}answer = {asked}\nanswer = tuple(answer) if isinstance(answer, list) else answer\n"
    real: dict[str, object] = {}
    exec(text, real)
    assert replayed(text).names["answer"] == real["answer"]


def test_a_tuple_may_be_a_size() -> None:
    names = replayed(f"{SETUP}answer = isinstance(y.shape, torch.Size)\nother = isinstance([2], torch.Size)\n").names
    assert isinstance(names["answer"], Unknown)
    assert names["other"] is False
