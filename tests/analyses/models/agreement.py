"""Programs that real PyTorch and the replay are both asked about."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gradguard.analyses.program.session import replay
from gradguard.rules.diagnostic import diagnose
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse

from ...oracle.client import run_program
from ..replaying import Alone

if TYPE_CHECKING:
    from pathlib import Path


def told(text: str) -> set[str]:
    """The kinds of what the replay warns of, errors included."""
    report = replay([parse(text, "main.py")], Alone())
    assert not report.problems
    found = diagnose(report)
    return {d.failure.kind for d in found if d.failure is not None and d.severity <= Severity.WARNING}


def happens(folder: Path, text: str) -> set[str]:
    """The kind of failure that PyTorch meets, if any."""
    path = folder / "main.py"
    path.write_text(text)
    verdict = run_program(path)
    if not verdict.ok and verdict.kind is None:
        raise AssertionError(verdict.message)
    return {verdict.kind} if verdict.kind else set()


def assert_agreement(folder: Path, program: str) -> set[str]:
    """Hold the replay of a program against PyTorch; the kinds that both tell."""
    text = textwrap.dedent(program)
    truth = happens(folder, text)
    assert told(text) == truth, text
    return truth
