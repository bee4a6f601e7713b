"""One line cannot take all memory, nor all time: hostile constants for all that the replay evaluates."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from gradguard.workspace.project import Project

from .bombs import cost, is_slow


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit of memory")
@pytest.mark.parametrize("seed", [1, 2])
def test_no_call_takes_more_than_its_allowance(seed: int) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.project.bombs", str(seed), "1"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 of " in done.stdout


def test_a_call_that_takes_too_long_is_told(tmp_path: Path) -> None:
    project, path = Project(tmp_path), str(tmp_path / "long.py")
    cost(project, path, "")
    assert is_slow(project, path, "v = torch.ones(3)\n" * 10_000)
    assert not is_slow(project, path, "v = torch.ones(3)\n" * 10)
