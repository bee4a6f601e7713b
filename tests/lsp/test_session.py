"""The session with the server that the examples hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def play(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / "session.py"), str(path)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)


@pytest.mark.parametrize("example", ["01_sigmoid_shift.py", "05_leaf_update.py"])
def test_the_session_ends_without_a_problem(example: str) -> None:
    played = play(EXAMPLES / example)
    assert played.returncode == 0, played.stderr
    told = [line for line in played.stdout.splitlines() if line.startswith("──")]
    assert told[1] == f"── open {example} → diagnostics"
    assert any(line.startswith("── apply") for line in told)
    assert "no problems" in played.stdout
    assert told[-1] == "── shutdown"


def test_a_clean_program_has_nothing_to_show(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("import torch\nx = torch.ones(3) + 1\n")
    played = play(tmp_path / "clean.py")
    assert played.returncode == 0, played.stderr
    assert played.stdout.count("no problems") == 1
