"""The real Emacs with Eglot, and the configuration that users are given."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from .conftest import ROOT, needed

HERE = Path(__file__).parent


def test_a_session(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [needed("emacs"), "--batch", "-l", str(HERE / "session.el")],
        env={**environment, "CONFIGURATION": str(ROOT / "editors" / "emacs")},
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    ((line, message),) = seen["diagnostics"]
    assert line == 4
    assert "it needs `y`, which this changes" in message
    assert any("0 → 1" in text for text in seen["hover"])
