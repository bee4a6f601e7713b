"""Whether a recurrent layer saves its input, or a copy of it that lies in the order of the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

INPUTS = {
    "a batch": "torch.rand(2, 3, 4)",
    "one sample": "torch.rand(1, 3, 4)",
    "one step": "torch.rand(3, 1, 4)",
    "no batch": "torch.rand(3, 4)",
    "a batch on its side": "torch.rand(3, 2, 4).transpose(0, 1)",
}


@pytest.mark.parametrize("layer", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("options", ["", ", batch_first=True", ", bidirectional=True", ", True, True, True"])
@pytest.mark.parametrize("name", INPUTS)
def test_an_input_that_is_changed(tmp_path: Path, layer: str, options: str, name: str) -> None:
    options = options.replace(", True, True, True", ", bidirectional=True, batch_first=True")
    program = f"""
        import torch
        from torch import nn

        layer = nn.{layer}(4, 4{options})
        x = {INPUTS[name]}
        y, _ = layer(x)
        x += 1
        y.sum().backward()
        """
    assert_agreement(tmp_path, program)


FLAG = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size, both=False):
        super().__init__()
        self.layer = nn.LSTM(size, size, batch_first=True, bidirectional=both)

    def forward(self, x):
        x = x * 1
        y, _ = self.layer(x)
        x += 1
        return y
"""


@pytest.mark.parametrize("both", [True, False])
def test_a_batch_is_taken_to_have_several_samples(tmp_path: Path, both: bool) -> None:
    assert assert_agreement(tmp_path, f"{FLAG}\nNet(4, {both})(torch.rand(2, 3, 4)).sum().backward()\n") == set()
