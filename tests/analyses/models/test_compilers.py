"""What a program asks of compilers is answered as Python's own run answers it."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import TYPE_CHECKING

import pytest
import torch
import torch.fx
import torch.onnx
from gradguard.analyses.libraries.torch.compilers import AT_WORK

from ..replaying import replayed
from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", AT_WORK)
def test_no_compiler_is_at_work(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert attrgetter(name.removeprefix("torch."))(torch)() is False
    assert replayed(f"import torch\nanswer = {name}()\n").names["answer"] is False


@pytest.mark.parametrize("change", ["mul_", "mul"])
@pytest.mark.parametrize("traced", ["torch.jit.trace(Gate(), torch.zeros(2))", "torch.fx.symbolic_trace(Gate())"])
def test_what_is_traced_does_the_same(tmp_path: Path, traced: str, change: str) -> None:
    found = assert_agreement(
        tmp_path,
        f"""
        import torch
        import torch.fx


        class Gate(torch.nn.Module):
            def forward(self, x):
                return x.sigmoid().{change}(x)


        gate = {traced}
        gate(torch.ones(2, requires_grad=True)).sum().backward()
        """,
    )
    assert found == ({"stale-saved"} if change == "mul_" else set())
