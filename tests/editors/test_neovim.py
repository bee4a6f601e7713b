"""The real Neovim, with the configuration that users are given."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SCRIPTS = Path(sys.executable).parent

PROGRAM = """\
import torch
x = torch.randn(3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""


def neovim() -> str:
    """The editor's path; it comes with the test dependencies where there is a wheel of it."""
    found = shutil.which("nvim", path=os.pathsep.join([str(SCRIPTS), os.environ["PATH"]]))
    if found is None:
        pytest.skip("no Neovim here")
    return found


def test_a_session(tmp_path: Path) -> None:
    file = tmp_path / "work" / "train.py"
    file.parent.mkdir()
    file.write_text(PROGRAM)
    homes = {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    paths = {"CONFIGURATION": str(ROOT / "editors" / "nvim"), "FILE": str(file)}
    path = os.pathsep.join([str(SCRIPTS), os.environ["PATH"]])
    done = subprocess.run(
        [neovim(), "--clean", "--headless", "-S", str(HERE / "session.lua")],
        env={**os.environ, **homes, **paths, "PATH": path},
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    (diagnostic,) = seen["diagnostics"]
    assert (diagnostic["code"], diagnostic["line"], diagnostic["source"]) == ("GG101", 4, "gradguard")
    assert "saved v0" in seen["hints"][0]
    assert "`exp` saved it for backward" in seen["hover"]
    assert seen["mended"] == "y = y + 1"
