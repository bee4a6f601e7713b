"""A replay that goes on after an edit says what one from the start says."""

from pathlib import Path

import pytest

from .editing import FILES, run


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_after_random_edits_the_replay_agrees_with_one_from_the_start(path: Path) -> None:
    run(path, seed=3, edits=25, every=3)
