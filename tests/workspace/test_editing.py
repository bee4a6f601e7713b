"""A replay that goes on after an edit says what one from the start says."""

from pathlib import Path

import pytest
from gradguard.analyses.domain.paths import Unwanted
from gradguard.analyses.program.session import Session

from .editing import FILES, Editing, differences, run


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_after_random_edits_the_replay_agrees_with_one_from_the_start(path: Path) -> None:
    run(path, seed=3, edits=25, every=6)


def test_a_replay_that_is_stopped_again_and_again_ends_where_one_at_once_does() -> None:
    editing = Editing(FILES[0], 1)
    batch = Session(editing.project)
    source = [editing.project.source(editing.path)]
    expected = batch.replay(source)
    session = Session(editing.project)
    for _ in range(1000):
        left = iter([True] * 20)
        try:
            report = session.replay(source, lambda: next(left, False))  # noqa: B023
            break
        except Unwanted:
            pass
    assert differences(report, expected) == []
    assert session.m.work.steps > batch.m.work.steps, "it was stopped"
    assert session.m.work.steps < 2 * batch.m.work.steps, "what was done is not done again"
