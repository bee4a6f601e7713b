"""Arrays over the memory of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.domain.values import Unknown

from ..replaying import replayed
from .agreement import assert_agreement, told

if TYPE_CHECKING:
    from pathlib import Path

SETUP = """
import numpy as np
import torch

np.random.seed(1)
leaf = torch.tensor([[0.9, 0.2], [0.8, 0.4], [0.7, 0.3]], requires_grad=True)
x = leaf * 1
array = x.detach().numpy()
y = x.sin()
"""

WRITES = (
    "array += 1",
    "array[0] = 2",
    "array[...] = 2",
    "array[0] *= 3",
    "array.T[0] += 1",
    "array.reshape(-1)[0] = 4",
    "np.add(array, 1, out=array)",
    "np.add(array, 1, array)",
    "np.clip(array, 0.0, 0.1, out=array)",
    "np.copyto(array, 0)",
    "np.random.shuffle(array)",
    "array.fill(0)",
    "array.sort()",
    "np.asarray(array)[0] = 3",
    "np.asarray(x.detach())[0] = 3",
    "np.multiply.at(array, 0, 2)",
    "torch.from_numpy(array).mul_(2)",
    "torch.as_tensor(array).add_(1)",
    "for row in array: row += 1",
)

HARMLESS = (
    "array = array + 1",
    "array.copy()[0] = 2",
    "np.array(array)[0] = 2",
    "np.add(array, 1)",
    "np.exp(array, out=np.zeros((3, 2), dtype=np.float32))",
    "torch.tensor(array).mul_(2)",
    "(array.astype('float64') * 2)[0] = 2",
    "np.zeros(3)[0] = 1",
    "array.clip(0, 1)[0] = 3",
)


@pytest.mark.parametrize("write", WRITES)
def test_a_write_that_no_counter_sees(tmp_path: Path, write: str) -> None:
    assert assert_agreement(tmp_path, f"{SETUP}\n{write}\ny.sum().backward()\n") == {"silent-stale"}


@pytest.mark.parametrize("line", HARMLESS)
def test_what_writes_no_shared_memory(tmp_path: Path, line: str) -> None:
    assert assert_agreement(tmp_path, f"{SETUP}\n{line}\ny.sum().backward()\n") == set()


@pytest.mark.parametrize("call", ["x.numpy()", "np.asarray(x)", "np.array(x)"])
def test_an_array_of_a_tensor_with_a_graph_is_refused(call: str) -> None:
    after = f"{SETUP}\n{call}\nleaf.mul_(2)\n"
    assert told(after) == set()
    assert told(after.replace(call, f"with torch.no_grad(): {call}")) == {"leaf-inplace"}


@pytest.mark.parametrize(("source", "kinds"), [("leaf * 1", {"stale-saved"}), ("leaf", set())])
def test_a_result_without_gradient_leaves_the_history_of_its_source(
    tmp_path: Path, source: str, kinds: set[str]
) -> None:
    changed = f"{SETUP}\nx = {source}\nz = torch.asarray(x, requires_grad=False)\ny = y * x.sin()\nz.add_(1)\n"
    assert assert_agreement(tmp_path, f"{changed}y.sum().backward()\n") == kinds


def test_a_class_of_arrays_of_the_program_is_unknown_inside() -> None:
    text = "import numpy as np\nclass Image(np.ndarray): pass\nimage = Image((2, 3))[..., 0]\n"
    assert isinstance(replayed(text).names["image"], Unknown)


GENERATORS = ("np.random.default_rng(0)", "np.random.RandomState(0)", "np.random.default_rng(np.random.default_rng(1))")


@pytest.mark.parametrize("made", GENERATORS)
def test_a_generator_draws_arrays_and_shuffles_in_place(tmp_path: Path, made: str) -> None:
    program = f"""
import numpy as np
import torch

rng = {made}
rows = rng.standard_normal((3, 2)).astype("float32")
data = torch.from_numpy(rows)
leaf = torch.ones(3, 2, requires_grad=True)
loss = (leaf * data).sum() * rng.uniform(0.5, 1.5)
{{change}}
loss.backward()
"""
    assert assert_agreement(tmp_path, program.format(change="rng.shuffle(rows)")) == {"silent-stale"}
    assert assert_agreement(tmp_path, program.format(change="rows = rng.permutation(rows)")) == set()
