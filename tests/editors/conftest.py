"""A failing file to open, and editors to open it with."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
"""where `gradguard` is, and an editor that came with the test dependencies"""

PROGRAM = """\
import torch
x = torch.randn(3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""


def needed(name: str) -> str:
    """Return a program's path. Without it the test is skipped, or fails where REQUIRE_EDITORS is set (`make e2e`)."""
    found = shutil.which(name, path=PATH)
    if found is None:
        (pytest.fail if os.environ.get("REQUIRE_EDITORS") else pytest.skip)(f"no {name} here")
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "train.py"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def environment(tmp_path: Path, file: Path) -> dict[str, str]:
    """What an editor finds in its environment: a home of its own, and the file to open."""
    home = tmp_path / "home"
    home.mkdir()
    homes = {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    return {**os.environ, **homes, "HOME": str(home), "PATH": PATH, "FILE": str(file)}
