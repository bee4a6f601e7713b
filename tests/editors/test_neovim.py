"""The real Neovim, with the configuration that users are given."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from .conftest import ROOT, needed

HERE = Path(__file__).parent


def test_a_session(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [needed("nvim"), "--clean", "--headless", "-S", str(HERE / "session.lua")],
        env={**environment, "CONFIGURATION": str(ROOT / "editors" / "nvim")},
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
