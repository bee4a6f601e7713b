"""The real Neovim, with the configuration that users are given."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

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


NOTES = (ROOT / "editors" / "nvim" / "README.md").read_text(encoding="utf-8")
OLDER = re.findall(r"```lua\n(vim\.api.*?)```", NOTES, re.DOTALL)
SEE = "vim.wait(30000, function() return #vim.diagnostic.get(0) > 0 end, 20) print(vim.diagnostic.get(0)[1].code)"


@pytest.mark.parametrize("configuration", OLDER, ids=["0.8", "0.7"])
def test_what_older_ones_need(configuration: str, environment: dict[str, str], tmp_path: Path) -> None:
    """Run here by the newer one, which still has what they had."""
    init = tmp_path / "init.lua"
    init.write_text(configuration)
    done = subprocess.run(
        [needed("nvim"), "--headless", "-u", str(init), environment["FILE"], "-c", f"lua {SEE}", "-c", "qall!"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert "GG101" in done.stderr
