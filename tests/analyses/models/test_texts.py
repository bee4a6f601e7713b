"""Texts that the standard library reads: what they say decides what the program does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import tomllib

import torch
from torch import nn

options = tomllib.loads('[layers]\\nHardtanh = {{ min_val = 0.2, inplace = {flag} }}')["layers"]
net = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), *(getattr(nn, k)(**v) for k, v in options.items()))
net(torch.ones(1, 2)).sum().backward()
"""


@pytest.mark.parametrize("flag", ["true", "false"])
def test_toml_is_read(flag: str, tmp_path: Path) -> None:
    pytest.importorskip("tomllib")
    assert assert_agreement(tmp_path, PROGRAM.format(flag=flag)) == ({"stale-saved"} if flag == "true" else set())
