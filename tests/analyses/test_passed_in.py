"""A parameter that is annotated with a class of the program which makes callable objects gets such an object."""

from __future__ import annotations

from textwrap import dedent
from typing import NamedTuple

import pytest
from gradguard.analyses import replay
from gradguard.rules.diagnostic import Severity, diagnose
from gradguard.syntax.chunks import parse

from .refused import told_of_refused, told_of_working
from .replaying import Alone


class Passed(NamedTuple):
    """A program, how it is called so that it fails, and what the message names; `WRITE` is what fails, or works."""

    text: str
    called: str
    severity: Severity
    named: str


NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width, norm=None):
        super().__init__()
        self.lin = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width) if norm is not None else None

"""

PROGRAMS = {
    "a part of a module": Passed(
        """
        class Model(nn.Module):
            def __init__(self, net: Net):
                super().__init__()
                self.net = net

            def forward(self, x):
                out = self.net.lin(x).sigmoid()
                WRITE
                return out
        """,
        "Model(Net(3))(torch.randn(2, 3))",
        Severity.WARNING,
        "`Model` is trained",
    ),
    "a processor of a module": Passed(
        """
        class Processor:
            def __call__(self, net: Net, x):
                out = net.lin(x).sigmoid()
                WRITE
                return out

        class Model(nn.Module):
            def __init__(self, width, processor: "Processor" = None):
                super().__init__()
                self.net = Net(width)
                self.processor = processor

            def forward(self, x):
                if self.processor is None:
                    return self.net.lin(x)
                return self.processor(self.net, x)
        """,
        "Model(3, Processor())(torch.randn(2, 3))",
        Severity.WARNING,
        "`Model(processor=…)` is trained",
    ),
    "an argument of a function": Passed(
        """
        def loss(net: Net, x):
            out = net.lin(x).sigmoid()
            WRITE
            return out.mean()
        """,
        "loss(Net(3), torch.randn(2, 3))",
        Severity.WARNING,
        "`net` requires grad and the caller calls `backward()` on what `loss` returns",
    ),
    "an argument of one that nothing shows to be trained": Passed(
        """
        def predict(net: Net, x):
            out = net.lin(x).sigmoid()
            WRITE
            return out
        """,
        "predict(Net(3), torch.randn(2, 3))",
        Severity.HINT,
        "`net` requires grad and the caller calls `backward()` on what `predict` returns",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_fails_behind_an_object_that_is_passed_in_is_told(name: str) -> None:
    program = PROGRAMS[name]
    text = NET + dedent(program.text).replace("WRITE", "out *= 0.5")
    found = told_of_refused(text, program.called)
    assert found.severity is program.severity
    assert program.named in found.words.when


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_works_with_it_is_silent(name: str) -> None:
    program = PROGRAMS[name]
    text = NET + dedent(program.text).replace("WRITE", "out = out * 0.5")
    assert told_of_working(text, program.called) == []


def test_a_class_that_asks_for_one_of_its_own_is_entered() -> None:
    text = NET + dedent(
        """
        class Tree(nn.Module):
            def __init__(self, child: "Tree"):
                super().__init__()
                self.child = child
                self.lin = nn.Linear(3, 3)

            def forward(self, x):
                out = self.lin(x).sigmoid()
                out *= 0.5
                return out
        """
    )
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.WARNING
