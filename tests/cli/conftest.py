"""Running the real command."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gradguard.analyses
import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def gradguard_command(tmp_path: Path) -> Command:
    """Runs `gradguard ARGUMENTS…` in `tmp_path`; `stdin` and `env` as given."""

    def run(*arguments: str, stdin: str | bytes = "", env: dict[str, str] | None = None):
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [sys.executable, "-m", "gradguard", *arguments],
            cwd=tmp_path,
            input=data,
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", **(env or {})},
            timeout=60,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run


@pytest.fixture
def check(gradguard_command: Command) -> Command:
    """Runs `gradguard check ARGUMENTS…`."""
    if not hasattr(gradguard.analyses, "replay"):
        pytest.skip("the replay is not there yet")
    return lambda *arguments, **more: gradguard_command("check", *arguments, **more)


STALE = """\
import torch

x = torch.rand(3, requires_grad=True)
y = torch.exp(x)
y += 1
y.sum().backward()
"""


@pytest.fixture
def stale(tmp_path: Path) -> Path:
    """A program with one failure: line 5 changes what line 4 saved."""
    path = tmp_path / "stale.py"
    path.write_text(STALE)
    return path


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """A program without a failure."""
    path = tmp_path / "clean.py"
    path.write_text(STALE.replace("y += 1", "y = y + 1"))
    return path
