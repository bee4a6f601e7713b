"""What a replay has found so far, while it goes on: nothing of that is taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.domain import budget
from gradguard.analyses.domain.report import Report
from gradguard.analyses.program.session import Session
from gradguard.rules.diagnostic import diagnose
from gradguard.workspace.project import Project

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradguard.analyses.domain.report import Failure
    from gradguard.syntax.chunks import Source

PROGRAMS = Path(__file__).parents[1] / "programs"
FORMS = sorted(path for path in PROGRAMS.glob("*/*/*") if path.is_dir())


class Watched(Project):
    """A project whose replays are looked at after each step."""

    def replay(self, roots: Sequence[Source], traced: bool = True) -> Report:
        session = Session(self, traced)
        self.seen: list[list[Failure]] = []

        def look() -> bool:
            self.seen.append(session.so_far())
            return True

        return session.replay(roots, look)


def severities(failures: Sequence[Failure]) -> dict[tuple[str, str, int], int]:
    """How certain rules are of failures, by place; 1 is an error."""
    found = diagnose(Report(list(failures)))
    return {
        (one.rule.code, one.site.chunk.path, one.site.chunk.offset + one.site.node.start): one.severity for one in found
    }


@pytest.mark.parametrize("folder", sorted({form.parent.parent for form in FORMS}), ids=lambda folder: folder.name)
def test_what_was_found_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "LIMITS", replace(budget.LIMITS, pulse=1))
    early = 0
    for form in sorted(path for path in folder.glob("*/*") if path.is_dir()):
        project = Watched(form)
        report = project.check([str(path) for path in sorted(form.glob("*.py"))]).report
        final = severities(report.failures)
        for failures in project.seen:
            for place, severity in severities(failures).items():
                assert final.get(place, 9) <= severity, "it is told as surely in the end"
            early += bool(failures)
    assert early or folder.name == "clean"
