"""Adaptive pooling: to one number a channel it is the mean, which needs nothing of its input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

SIZES = {1: ("1", "(1,)", "2"), 2: ("1", "(1, 1)", "[1, 1]", "2", "(1, 2)"), 3: ("1", "(1, 1, 1)", "(1, 2, 1)")}
CASES = [(dims, size) for dims, sizes in SIZES.items() for size in sizes]


@pytest.mark.parametrize("call", ["nn.AdaptiveAvgPool{}d({})(x)", "F.adaptive_avg_pool{}d(x, {})"])
@pytest.mark.parametrize(("dims", "size"), CASES)
def test_whether_the_input_is_saved(tmp_path: Path, dims: int, size: str, call: str) -> None:
    program = f"""
        import torch
        from torch import nn
        from torch.nn import functional as F

        leaf = torch.rand(2, 3, *[4] * {dims}, requires_grad=True)
        x = leaf * 1
        y = {call.format(dims, size)}
        x += 1
        (x.sum() + y.sum()).backward()
        """
    truth = assert_agreement(tmp_path, program)
    assert truth == ({"stale-saved"} if "2" in size else set())
