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


OPTIONAL = """\
import torch
from torch import nn


class Rep(nn.Module):
    def __init__(self, size, out, step=1, norm=False):
        super().__init__()
        self.lin = nn.Linear(size, out)
        self.norm = nn.BatchNorm1d(size) if {asked} else None

    def forward(self, x):
        y = 0 if self.norm is None else self.norm(x)
        {written}
        return self.lin(x) + y
"""
ALL = "norm and out == size and step == 1"


@pytest.mark.parametrize("asked", [ALL, "norm and not out != size and step == 1"])
def test_what_one_test_asks_is_one_branch(asked: str) -> None:
    found = told_of_refused(OPTIONAL.format(asked=asked, written="x *= 2"), "Rep(3, 3, 1, True)(torch.rand(2, 3))")
    assert found.severity is Severity.WARNING
    assert found.words.when.startswith(f"if `{asked}`"[:35])


@pytest.mark.parametrize("written", ["x += 1", "x.mul_(2)", "x[0] = 0", "x[..., 0] *= 2"])
def test_what_one_side_of_a_branch_uses_as_a_tensor_is_changed_there(written: str) -> None:
    found = told_of_refused(OPTIONAL.format(asked=ALL, written=written), "Rep(3, 3, 1, True)(torch.rand(2, 3))")
    assert found.severity is Severity.WARNING


def test_its_twin_is_silent() -> None:
    assert told(OPTIONAL.format(asked=ALL, written="x = x + 1")) == []
