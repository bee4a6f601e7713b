"""What a module saves of its arguments is known from its own training, where there is no patience to run it again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gradguard.analyses.domain import budget
from gradguard.rules.rule import Severity

from .refused import told_of_refused, told_of_working

TEXT = """\
import torch
from torch import nn


class Inner(nn.Module):
    def __init__(self, bias: bool = False):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))
        self.fc = nn.Linear(3, 3)
        self.bias = bias

    def forward(self, x, y=None):
        z = self.w + {first}
        return z + (z + 1) * 2


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, y):
        x = x * 2
        y = y + 1
        z = self.inner({given})
        {changed}
        return z + x + y
"""
USE = "Outer()(torch.ones(3), torch.ones(3))"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "LIMITS", replace(budget.LIMITS, early_steps=0, familiar_patience=1))


SAVED = (
    ("self.fc(x)", "x, y", "x += 1"),
    ("self.fc(x)", "x", "x[0] = 0"),
    ("self.fc(x)", "y, x", "y.mul_(2)"),
    ("self.fc(x) + self.fc(y)", "x, y", "y += 1"),
    ("self.fc(y)", "x, y=y", "y += 1"),
    ("self.fc(x.unsqueeze(0))", "x", "x += 1"),
)


@pytest.mark.parametrize(("first", "given", "changed"), SAVED)
def test_what_a_module_saves_is_not_to_be_changed(first: str, given: str, changed: str) -> None:
    text = TEXT.format(first=first, given=given, changed=changed)
    found = told_of_refused(text, USE)
    assert found.severity is Severity.WARNING
    assert "`Inner` (line 25) has saved it" in found.words.message


OTHERS = (
    ("x", "x", "x += 1"),
    ("self.fc(x)", "x", "y += 1"),
    ("self.fc(x.abs())", "x", "x += 1"),
    ("(self.fc(x) if self.bias else x)", "x", "x += 1"),
)


@pytest.mark.parametrize(("first", "given", "changed"), OTHERS)
def test_what_it_does_not_save_is(first: str, given: str, changed: str) -> None:
    text = TEXT.format(first=first, given=given, changed=changed)
    assert told_of_working(text, USE) == []
