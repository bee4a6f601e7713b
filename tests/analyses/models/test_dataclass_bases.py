"""Which `__init__` a class has of which one in the line is a dataclass."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = {
    "a base has one": """
        class Base:
            def __init__(self):
                self.n = 1

        @dataclass
        class Own(Base):
            owner: object
            n: int = 2

        made = Own(3, n=1)
    """,
    "its own": """
        @dataclass
        class Own:
            n: int = 1

            def __init__(self, n):
                self.n = n

        made = Own(1)
    """,
    "a base is a dataclass": """
        @dataclass
        class Base:
            n: int = 2

        class Own(Base):
            pass

        made = Own(1)
    """,
    "it wants none": """
        class Base:
            def __init__(self, n):
                self.n = n

        @dataclass(init=False)
        class Own(Base):
            other: int = 2

        made = Own(1)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_which_one_runs(tmp_path: Path, name: str) -> None:
    program = f"""
from dataclasses import dataclass

import torch
{dedent(PROGRAMS[name])}
y = torch.ones(3, requires_grad=True).exp()
y += made.n
y.sum().backward()
"""
    assert assert_agreement(tmp_path, program) == {"stale-saved"}
