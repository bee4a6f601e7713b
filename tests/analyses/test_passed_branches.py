"""A change that many branches lead to is told like any other: that they are taken is what it was written for.

What it needs beside that, the sides of other branches, makes it a hint once there are too many.
"""

from __future__ import annotations

import pytest
from gradguard.analyses import replay
from gradguard.rules.diagnostic import Diagnostic, Severity, diagnose
from gradguard.syntax.chunks import parse

from .refused import told_of_refused
from .replaying import Alone

INSIDE = """\
import torch
from torch import nn


class Loss(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.lin = nn.Linear(size, size)

    def forward(self, x, picked):
        if len(picked) > 0:
            if picked[0] > 0:
                if x.size(0) > 1:
                    if x.size(1) > 2:
                        y = self.lin(x).exp()
                        y {written}
                        return y.sum()
        return x.sum() * 0
"""

BESIDE = """\
import torch
from torch import nn


class Loss(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.lin = nn.Linear(size, size)

    def forward(self, x, a, b, c):
        y = self.lin(x).exp()
        w = torch.zeros(3, 3)
        z = {chosen}
        z += 1
        return y.sum() + z.sum()
"""

GIVEN = "Loss(3)(torch.rand(2, 3), torch.ones(1))"


def test_a_change_that_many_branches_lead_to_is_a_warning() -> None:
    found = told_of_refused(INSIDE.format(written="+= 1"), GIVEN)
    assert found.severity is Severity.WARNING
    assert found.words.when == "if `Loss` is trained"


def test_its_twin_that_changes_nothing_is_silent() -> None:
    assert told(INSIDE.format(written="= y + 1")) == []


@pytest.mark.parametrize(
    ("chosen", "severity"),
    [
        ("y if a > 0 else w", Severity.WARNING),
        ("((y if a > 0 else w) if b > 0 else w) if c > 0 else w", Severity.HINT),
    ],
)
def test_one_that_needs_other_branches_is_as_sure_as_these(chosen: str, severity: Severity) -> None:
    (found,) = told(BESIDE.format(chosen=chosen))
    assert found.severity is severity
    assert "`a > 0` is true" in found.words.when


def told(text: str) -> list[Diagnostic]:
    return diagnose(replay([parse(text, "main.py")], Alone()))
