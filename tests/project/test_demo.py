"""What `make demo` prints: one example whole, what all of them come to, what to do next, and no more."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_the_demo_fits_a_screen(tmp_path: Path) -> None:
    dry = subprocess.run(
        ["make", "--dry-run", "demo", "BIN=bin"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    one, every = re.findall(r"^bin/gradguard (check .*)$", dry, flags=re.MULTILINE)
    assert one == "check --exit-zero --quiet examples/01_sigmoid_shift.py"
    assert every == "check --exit-zero examples | tail -n 2"
    whole, summary = told(one), told(every.partition(" |")[0])[-2:]
    echoed = [line for line in dry.splitlines() if line.startswith("echo ")]
    assert len(whole) + len(summary) + len(echoed) <= 30
    assert any("exposure" in line for line in whole)
    assert "8 errors" in summary[0]
    assert "`--fix`" in summary[1]


def told(command: str) -> list[str]:
    """What the command line prints."""
    run = [sys.executable, "-m", "gradguard", *command.split()]
    return subprocess.run(
        run, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout.splitlines()
