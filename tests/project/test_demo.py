"""What `make demo` prints: one example whole, all in a line each, what to do next, and no more."""

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
    commands = re.findall(r"^bin/gradguard (check .*)$", dry, flags=re.MULTILINE)
    assert commands == [
        "check --exit-zero examples/01_sigmoid_shift.py",
        "check --exit-zero --output-format concise examples",
    ]
    printed = [line for command in commands for line in told(command)]
    echoed = [line for line in dry.splitlines() if line.startswith("echo ")]
    assert len(printed) + len(echoed) <= 40
    assert any("exposure" in line for line in printed)
    codes = {code for line in told(commands[1]) for code in re.findall(r"GG\d+", line)}
    assert {"GG101", "GG102", "GG103", "GG111", "GG201", "GG203", "GG205"} <= codes


def told(command: str) -> list[str]:
    """What the command line prints."""
    run = [sys.executable, "-m", "gradguard", *command.split()]
    return subprocess.run(
        run, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout.splitlines()
