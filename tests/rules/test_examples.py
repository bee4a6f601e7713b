"""Every rule's examples, run on PyTorch: the one that fails does so as the rule says, the other one runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.rules import RULES, Rule, explaining

from ..oracle.client import run_program

if TYPE_CHECKING:
    from pathlib import Path

    from ..oracle.answers import Verdict

PREDICTING = [rule for rule in RULES.values() if rule.kinds]


def verdict(program: str, folder: Path) -> Verdict:
    path = folder / "main.py"
    path.write_text(program)
    return run_program(path)


@pytest.mark.parametrize("rule", PREDICTING, ids=lambda rule: rule.code)
def test_the_failing_example_fails_as_the_rule_says(rule: Rule, tmp_path: Path) -> None:
    got = verdict(rule.fails, tmp_path)
    assert not got.ok
    assert got.kind in rule.kinds


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_the_working_example_runs(rule: Rule, tmp_path: Path) -> None:
    assert verdict(rule.works, tmp_path).ok


@pytest.mark.parametrize("rule", [rule for rule in PREDICTING if rule.error], ids=lambda rule: rule.code)
def test_the_rule_explains_the_error_of_its_failing_example(rule: Rule, tmp_path: Path) -> None:
    message = verdict(rule.fails, tmp_path).message
    if message is None:  # PyTorch only warns
        message = warning_of(rule.fails)
    assert rule in explaining(message)


def test_a_program_with_an_idle_suppression_runs(tmp_path: Path) -> None:
    assert verdict(RULES["GG900"].fails, tmp_path).ok


def warning_of(program: str) -> str:
    with pytest.warns(UserWarning) as heard:
        exec(compile(program, "main.py", "exec"), {"__name__": "__main__"})
    return str(heard[0].message)
