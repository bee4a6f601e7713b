"""`torch.nn.utils`: some names of the package are written in Python, others are native."""

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

warnings.simplefilter("ignore")
net = nn.Linear(3, 3)
x = torch.ones(2, 3, requires_grad=True)
"""

IMPORTS = (
    "from torch.nn.utils import *",
    "from torch.nn.utils import {}",
    "from torch.nn import utils\n{0} = utils.{0}",
    "import torch.nn.utils as utils\n{0} = utils.{0}",
    "{0} = nn.utils.{0}",
)


@pytest.mark.parametrize("imported", IMPORTS)
def test_a_native_name_is_found(tmp_path: Path, imported: str) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + f"""
{imported.format("parameters_to_vector")}
y = parameters_to_vector(net.parameters()).exp()
y.mul_(2)
y.sum().backward()
""",
    )
    assert kinds == {"stale-saved"}


@pytest.mark.parametrize("imported", [*IMPORTS, "from torch.nn.utils.weight_norm import {}"])
def test_a_name_that_is_written_in_python_is_found(tmp_path: Path, imported: str) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + f"""
{imported.format("weight_norm")}
loss = weight_norm(net)(x).sum()
with torch.no_grad():
    net.weight_g.mul_(2)
loss.backward()
""",
    )
    assert kinds == {"stale-saved"}


@pytest.mark.parametrize(
    "called",
    [
        "nn.utils.clip_grad_norm_(net.parameters(), 1.0)",
        "nn.utils.clip_grad.clip_grad_norm_(net.parameters(), 1.0)",
        "nn.utils.clip_grad_value_(net.parameters(), 1.0)",
        "nn.utils.vector_to_parameters(torch.zeros(12), net.parameters())",
    ],
)
def test_gradients_are_written(tmp_path: Path, called: str) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + f"""
net(x).sum().backward()
loss = (net.weight.grad * x[0]).sum()
{called}
loss.backward()
""",
    )
    assert kinds == (set() if "vector" in called else {"stale-saved"})


def test_sequences_are_packed(tmp_path: Path) -> None:
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + """
from torch.nn.utils import rnn

packed = rnn.pack_padded_sequence(torch.rand(4, 2, 3, requires_grad=True).exp(), [4, 2])
y = packed.data.exp()
y.mul_(2)
y.sum().backward()
""",
    )
    assert kinds == {"stale-saved"}


@pytest.mark.parametrize("order", ["backward, copied", "copied, backward"])
def test_a_copy_of_a_normed_layer_is_normed_by_itself(tmp_path: Path, order: str) -> None:
    lines = {
        "copied": "with torch.no_grad():\n    net.weight_orig.mul_(2)",
        "backward": "other(x).sum().backward()",
    }
    first, second = (lines[one] for one in order.split(", "))
    kinds = assert_agreement(
        tmp_path,
        SETUP
        + f"""
import copy

nn.utils.spectral_norm(net)
other = copy.deepcopy(net)
loss = other(x).sum()
{first}
{second}
loss.backward()
""",
    )
    assert kinds == set()
