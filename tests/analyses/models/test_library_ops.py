"""Operators that a program defines with `torch.library`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

SETUP = """
import numpy as np
import torch
from torch import Tensor


@torch.library.custom_op("lab::scale_", mutates_args={"x"})
def scale_(x: Tensor, by: float) -> None:
    x.mul_(by)


@torch.library.custom_op("lab::shift_", mutates_args=("x",))
def shift_(x: Tensor, by: float) -> None:
    np.add(x.detach().numpy(), by, out=x.detach().numpy())


@torch.library.custom_op("lab::product", mutates_args=())
def product(x: Tensor, y: Tensor) -> Tensor:
    return x * y


def backward(ctx, g):
    x, y = ctx.saved_tensors
    return g * y, g * x


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


product.register_autograd(backward, setup_context=setup_context)


@product.register_fake
def _(x, y):
    return torch.empty_like(x)


leaf = torch.rand(3, requires_grad=True)
a, b = leaf * 2, leaf * 3
"""


@pytest.mark.parametrize("change", ["scale_(a, 2.0)", "torch.ops.lab.shift_(a, 2.0)", "torch.ops.lab.scale_(b, 2.0)"])
@pytest.mark.parametrize("made", ["a.exp()", "a.sin()", "product(a, a)", "torch.ops.lab.product(a, a)", "a + 1"])
def test_an_operator_changes_its_argument(tmp_path: Path, made: str, change: str) -> None:
    assert_agreement(tmp_path, f"{SETUP}\nresult = {made}\n{change}\nresult.sum().backward()\n")


@pytest.mark.parametrize("change", ["a.mul_(2)", "result.mul_(2)", "b.mul_(2)"])
def test_what_the_program_saves_is_checked(tmp_path: Path, change: str) -> None:
    assert_agreement(tmp_path, f"{SETUP}\nresult = product(a, b)\n{change}\nresult.sum().backward()\n")


def test_a_leaf_is_not_refused(tmp_path: Path) -> None:
    assert assert_agreement(tmp_path, f"{SETUP}\nscale_(leaf, 2.0)\n") == set()


@pytest.mark.parametrize("change", ["torch.ops.aten.mul_(a, 2)", "torch.ops.aten.add(a, 2)"])
def test_operators_of_pytorch_by_name(tmp_path: Path, change: str) -> None:
    assert_agreement(tmp_path, f"{SETUP}\nresult = torch.ops.aten.sin.default(a)\n{change}\nresult.sum().backward()\n")


OLDER = """
import torch

lib = torch.library.Library("older", "DEF")
lib.define("bump_(Tensor(a!) x) -> ()")
lib.define("wave(Tensor x) -> Tensor")


def bump_(x):
    x.add_(1)


lib.impl("bump_", bump_, "CPU")


@torch.library.impl(lib, "wave", "CPU")
def wave(x):
    return x.sin()


leaf = torch.rand(3, requires_grad=True)
a = leaf * 2
"""


@pytest.mark.parametrize("line", ["torch.ops.older.bump_(a)", "torch.ops.older.bump_(leaf)", "torch.ops.older.wave(a)"])
def test_the_older_way_of_defining(tmp_path: Path, line: str) -> None:
    assert_agreement(tmp_path, f"{OLDER}\nresult = torch.ops.older.wave(a)\n{line}\nresult.sum().backward()\n")


OWN = """
import torch

@torch.library.custom_op("own::{name}", mutates_args=())
def op(x: torch.Tensor) -> {kind}:
    both = torch.zeros(2, 3)
    return {result}

x = torch.ones(3, requires_grad=True)
"""


def test_a_view_that_an_operator_gives_is_one_that_a_custom_function_made(tmp_path: Path) -> None:
    program = OWN.format(name="part", kind="torch.Tensor", result="both.select(0, 0)") + "op(x).zero_()\n"
    assert assert_agreement(tmp_path, program) == {"multi-view-inplace"}


def test_an_operator_must_not_give_memory_twice(tmp_path: Path) -> None:
    kind, result = "tuple[torch.Tensor, torch.Tensor]", "both.select(0, 0), both.select(0, 1)"
    program = OWN.format(name="parts", kind=kind, result=result)
    program += "try:\n    a, b = op(x)\n    a.zero_()\nexcept RuntimeError as error:\n    print(error)\n"
    assert assert_agreement(tmp_path, program) == set()
