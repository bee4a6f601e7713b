"""Trials of fixes: one after the other gives what each alone gives, and costs no replay of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from gradguard.analyses.program.session import Session
from gradguard.fixes import candidates, mend
from gradguard.fixes.edit import apply_all
from gradguard.fixes.verify import Kept, Trials

from .folder import Folder, told

if TYPE_CHECKING:
    from pathlib import Path

    from gradguard.analyses.domain.values import ClassV, FunctionV
    from gradguard.analyses.program.entered import Entered
    from gradguard.analyses.program.entries import Entry

HELPER = """\
import torch


def shifted(x):
    y = torch.sigmoid(x)
    y += 1
    return y.sum()
"""
MAIN = """\
import torch
from helper import shifted

w = torch.ones(3, requires_grad=True)


def doubled(n):
    h = torch.ones(n, requires_grad=True).exp()
    h *= 2
    h.sum().backward()


def raised(n):
    y = torch.ones(n, requires_grad=True).tanh()
    y.pow_(2)
    y.sum().backward()


if __name__ == "__main__":
    shifted(w * 2).backward()
"""


@pytest.fixture
def program(tmp_path: Path) -> Folder:
    (tmp_path / "helper.py").write_text(HELPER, "utf-8")
    (tmp_path / "main.py").write_text(MAIN, "utf-8")
    return Folder(tmp_path)


def test_trials_in_a_row_say_what_each_alone_says(program: Folder) -> None:
    report = program.replay()
    found = told(report)
    assert len(found) == 3
    together = Trials(report, program.sources, [program.main], program)
    for failure in [*found, *found]:
        for fix in candidates(failure, program.sources, report):
            texts = apply_all({path: source.text for path, source in program.sources.items()}, fix.edits)
            alone = Trials(report, program.sources, [program.main], program)
            assert together.helps(failure, texts) == alone.helps(failure, texts), fix.title
            assert not together.helps(failure, {program.main.path: program.main.text + "\n"})


def test_a_trial_enters_again_only_what_it_edits(program: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    entered: list[str] = []
    enter = Session.run_entry

    def noted(self: Session, entry: Entry, name: str, v: ClassV | FunctionV, *known: Any) -> Entered:
        entered.append(v.name)
        return enter(self, entry, name, v, *known)

    report = program.replay()
    doubled = next(failure for failure in told(report) if failure.name == "h")
    trials = Trials(report, program.sources, [program.main], program)
    mend(doubled, program.sources, trials, most=1)
    monkeypatch.setattr(Session, "run_entry", noted)
    mend(doubled, program.sources, trials)
    assert set(entered) == {"doubled"}


def test_a_fix_that_leaves_the_failure_is_refused(program: Folder) -> None:
    report = program.replay()
    trials = Trials(report, program.sources, [program.main], program)
    path = program.main.path
    for failure in told(report):
        assert not trials.helps(failure, {path: MAIN + "\n"})
    assert not trials.helps(told(report)[0], {path: MAIN.replace("h *= 2", "h *=")})


def test_as_many_as_are_wanted(program: Folder) -> None:
    report = program.replay()
    failure = told(report)[0]
    every = program.fixes(failure, report)
    assert len(every) > 1
    assert [fix.preferred for fix in every] == [True] + [False] * (len(every) - 1)
    assert program.trials
    assert mend(failure, program.sources, program.trials, most=1) == every[:1]
    (second,) = mend(failure, program.sources, program.trials, wanted=lambda fix: fix.title == every[1].title)
    assert second.preferred


@pytest.mark.parametrize(
    ("old", "new", "lines", "unchanged"),
    [
        ("a\nb\nc\n", "a\nx\nb\nc\n", [0, 1, 1, 2], {0, 1, 2}),
        ("a\nb\nc\n", "a\ny\nc\n", [0, 1, 2], {0, 2}),
        ("a\nb\nc\n", "a\nc\n", [0, 2], {0, 2}),
        ("a\na\n", "a\na\na\n", [0, 1, 2], {0, 1}),
        ("a\nb\nc\n", "b\na\nc\n", [1, 0, 2], {0, 2}),
        ("a\nb\nc\n", "if b:\n    c\n    a\n", [0, 2, 0], set()),
    ],
)
def test_lines_lead_back_to_those_they_were(old: str, new: str, lines: list[int], unchanged: set[int]) -> None:
    kept = Kept(old, new)
    assert [kept.line(i) for i in range(len(lines))] == lines
    assert kept.unchanged == unchanged


def test_what_lies_behind_a_mended_failure_is_no_reason_against_a_fix(tmp_path: Path) -> None:
    """The first failure ends the program; three others are in what nothing has reached before."""
    behind = (
        HELPER
        + "\nw = torch.ones(3, requires_grad=True)\nshifted(w * 2).backward()\nw += 1\n"
        + MAIN[MAIN.index("\n\ndef") :]
    )
    (tmp_path / "main.py").write_text(behind, "utf-8")
    program = Folder(tmp_path)
    rounds = 0
    while failures := told(report := program.replay()):
        (fix, *_) = program.fixes(failures[0], report)
        program = program.with_fix(fix)
        rounds += 1
    assert rounds == 4
