"""What several branches lead to runs once: what is told of it, and what it costs."""

from __future__ import annotations

import pytest
from gradguard.analyses.program.session import Session
from gradguard.rules.diagnostic import Severity
from gradguard.syntax.chunks import parse

from .refused import told_of_refused, told_of_working
from .replaying import Alone

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x, a=False, b=False):
        y = self.lin(x).exp(){rest}"""


RETURNED = """
        if a:
            if b:
                return x
        {then}
        return y
"""
CHOSEN = """
        {first}
        if a:
            {other}
        elif b:
            {first}
        {then}
        return y + z
"""


@pytest.mark.parametrize(
    "rest",
    [
        RETURNED.format(then="y.add_(1)"),  # two ways lead to the change, a third has returned
        CHOSEN.format(first="z = y", other="z = self.lin(x)", then="z.add_(1)"),  # two lead to the same tensor
        CHOSEN.format(first="z = 1", other="z = 0 if b else 2", then="y.add_(1 if z else 2)"),
    ],
)
def test_a_change_behind_several_ways_is_told(rest: str) -> None:
    found = told_of_refused(NET.format(rest=rest), "Net()(torch.rand(2, 3))")
    assert found.severity in (Severity.ERROR, Severity.WARNING)


@pytest.mark.parametrize(
    "rest",
    [
        # only the way that returns has changed it
        RETURNED.replace("return x", "y.add_(1); return self.lin(x)").format(then="pass"),
        # what would change it is behind the branches that have returned
        RETURNED.format(then="z = [y.add_(1) for _ in range(a and b)]"),
        # the same branches choose both
        CHOSEN.format(first="z, w = y, self.lin(x)", other="z, w = self.lin(x), self.lin(x)", then="w.add_(z)"),
    ],
)
def test_what_no_way_leads_to_is_not(rest: str) -> None:
    for flags in ("", ", True", ", False, True", ", True, True"):
        assert told_of_working(NET.format(rest=rest), f"Net()(torch.rand(2, 3, requires_grad=True){flags})") == []


def test_the_cost_is_that_of_the_text() -> None:
    assert steps(8) < 3 * steps(4)  # with a run for each way, 16 times


def steps(count: int) -> int:
    """The statements that are replayed of a function with so many early returns."""
    turn = "    if x > {i}:\n        if x == a[{i}]:\n            return x\n    y = y + {i}\n"
    text = "def f(x, a):\n    y = 0\n" + "".join(turn.format(i=i) for i in range(count)) + "    return y\n"
    session = Session(Alone())
    session.replay([parse(text, "main.py")])
    return sum(step.cost for entered in session.entered.values() for step in entered.steps)


APPENDED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.levels = nn.ModuleList()
        for i in range(start, 3):
            level = nn.Sequential(nn.ReLU())
            if i == 0:
                self.levels.append(level)
                continue
            level.append(nn.Upsample(scale_factor=2))
            self.levels.append(level)

    def forward(self, x):
        y = self.levels[0](x)
        y += 1
        return y
"""


def test_what_both_sides_of_a_branch_have_appended_is_one() -> None:
    found = told_of_refused(APPENDED, "Net(0)(torch.rand(1, 1, 2, requires_grad=True))")
    assert "`i == 0` is true" in found.words.when
