"""What custom Functions owe autograd, against finite differences of what PyTorch computes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gradguard.analyses import replay
from gradguard.rules.diagnostic import diagnose
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse

from .documents import Block, cases
from .replaying import Alone

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCKS = cases(Path(__file__).parent / "contracts")
POINT = (0.3, 1.2, 0.8)
STEP = 1e-6
RUN = f"\n\nw = torch.tensor({list(POINT)}, requires_grad=True)\nloss(w).backward()\n"


def marked(text: str, word: str) -> set[int]:
    """The lines that are marked with a word."""
    return {text.count("\n", 0, match.start()) + 1 for match in re.finditer(rf"# {word}$", text, re.MULTILINE)}


def is_wrong(loss: Callable[[torch.Tensor], torch.Tensor]) -> bool:
    """Whether PyTorch's gradient of a loss isn't the one that finite differences show."""

    def at(i: int, step: float) -> float:
        moved = torch.tensor(POINT, dtype=torch.float64)
        moved[i] += step
        return float(loss(moved.requires_grad_()))

    w = torch.tensor(POINT, dtype=torch.float64, requires_grad=True)
    loss(w).backward()
    assert w.grad is not None
    slopes = [(at(i, STEP) - at(i, -STEP)) / (2 * STEP) for i in range(len(POINT))]
    return not torch.allclose(w.grad, torch.tensor(slopes, dtype=torch.float64), rtol=1e-4)


@pytest.mark.parametrize("block", BLOCKS)
def test_pytorch_computes_a_wrong_gradient_where_it_is_marked(block: Block) -> None:
    names: dict[str, Any] = {}
    exec(block.text, names)
    assert is_wrong(names["loss"]) == bool(marked(block.text, "wrong"))


def test_a_change_of_data_is_meant_to_be_unseen() -> None:
    reset = """
import torch


class Fire(torch.autograd.Function):
    @staticmethod
    def forward(ctx, potential):
        fired = potential > 1
        potential.data.masked_fill_(fired, 0)
        return fired.to(potential.dtype)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def loss(w):
    h = w * 1
    return Fire.apply(h).sum() + (h + 1).sum()
"""
    assert not replay([parse(reset + RUN, "main.py")], Alone()).failures


@pytest.mark.parametrize("block", BLOCKS)
def test_what_breaks_the_contract_is_told(block: Block) -> None:
    report = replay([parse(block.text + RUN, "main.py")], Alone())
    assert not report.problems
    told = [(one.severity, one.rule.code, one.site.chunk.line_of(one.site.node) + 1) for one in diagnose(report)]
    assert set(told) == {(Severity.ERROR, "GG501", line) for line in marked(block.text, "wrong")} | {
        (Severity.HINT, "GG501", line) for line in marked(block.text, "hint")
    }
