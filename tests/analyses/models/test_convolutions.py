"""What convolutions save of their input, beside PyTorch: itself, or a padded copy."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

MODES = ("zeros", "circular", "reflect", "replicate")
PADDINGS = ("0", "1", "'same'", "'valid'")

TEMPLATE = """
import torch
from torch import nn
from torch.nn import functional as F

x = torch.rand(1, 2, {sizes}, requires_grad={grad}) * 1
w = torch.rand(2, 2, {kernel}, requires_grad=True)
y = {made}
x.mul_(2)
y.sum().backward()
"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("dims", (1, 2, 3))
def test_a_layer_with_a_padding(mode: str, padding: str, dims: int, tmp_path: Path) -> None:
    for kernel, grad in product((2, 3), (True, False)):
        made = f"nn.Conv{dims}d(2, 2, {kernel}, padding={padding}, padding_mode='{mode}')(x)"
        compare(tmp_path, dims, kernel, grad, made)


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("dims", (1, 2, 3))
def test_a_function_with_a_padding(padding: str, dims: int, tmp_path: Path) -> None:
    for kernel, dilation in product((2, 3), (1, 2)):
        compare(tmp_path, dims, kernel, False, f"F.conv{dims}d(x, w, padding={padding}, dilation={dilation})")


def compare(folder: Path, dims: int, kernel: int, grad: bool, made: str) -> None:
    sizes, kernels = (", ".join([str(n)] * dims) for n in (6, kernel))
    assert_agreement(folder, TEMPLATE.format(sizes=sizes, kernel=kernels, grad=grad, made=made))
