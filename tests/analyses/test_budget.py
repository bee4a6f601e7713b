"""How much work a replay may do decides no verdict: with twice as much, the project's own programs get the same."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from gradguard.analyses.domain import budget
from gradguard.analyses.domain.budget import Budget
from gradguard.rules.rule import Severity
from gradguard.workspace.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterable

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").glob("*/*/buggy"))

NESTED = """\
import torch


def shift(y):
    return y.add_(1)


w = torch.rand(3, requires_grad=True)
shift(w.exp()).sum().backward()
"""


def doubled() -> Budget:
    return Budget(**{field.name: twice(getattr(Budget(), field.name)) for field in fields(Budget)})


def twice(bound: Any) -> Any:
    return tuple(2 * each for each in bound) if isinstance(bound, tuple) else 2 * bound


def alarms(folder: Path, files: Iterable[Path]) -> list[object]:
    result = Project(folder).check([str(file) for file in sorted(files)], Severity.WARNING)
    return [(found.position, found.rule.code, found.severity) for found in result.active]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parts[-3]}/{path.parts[-2]}")
def test_twice_the_budget_changes_no_verdict(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forms = [form for form in sorted(program.parent.iterdir()) if form.is_dir()]
    before = [alarms(form, form.rglob("*.py")) for form in forms]
    monkeypatch.setattr(budget, "LIMITS", doubled())
    assert [alarms(form, form.rglob("*.py")) for form in forms] == before


def test_a_bound_that_is_too_small_makes_blind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the budget in use allows is what holds."""
    file = tmp_path / "main.py"
    file.write_text(NESTED)
    assert alarms(tmp_path, [file])
    monkeypatch.setattr(budget, "LIMITS", Budget(calls=0))
    assert not alarms(tmp_path, [file])
