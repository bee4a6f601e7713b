"""What a program asks of compilers is answered as Python's own run answers it."""

from __future__ import annotations

import warnings
from operator import attrgetter

import pytest
import torch
import torch.fx
import torch.onnx
from gradguard.analyses.models.compilers import AT_WORK

from ..replaying import replayed


@pytest.mark.parametrize("name", AT_WORK)
def test_no_compiler_is_at_work(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert attrgetter(name.removeprefix("torch."))(torch)() is False
    assert replayed(f"import torch\nanswer = {name}()\n").names["answer"] is False
