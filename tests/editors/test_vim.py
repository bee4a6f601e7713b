"""The real Vim with ALE, and the configuration that users are given."""

from __future__ import annotations

import json
import os
import pty
import select
import time
from pathlib import Path

import pytest

from .conftest import ROOT, needed

HERE = Path(__file__).parent
LIMIT = 150
"""seconds for a session"""


def test_a_session(environment: dict[str, str], tmp_path: Path) -> None:
    if not list(Path("/usr/share").glob("vim*/**/ale.vim")) and not os.environ.get("REQUIRE_EDITORS"):
        pytest.skip("no ALE here")
    seen_at = tmp_path / "seen.json"
    variables = {"CONFIGURATION": str(ROOT / "editors" / "vim"), "SEEN": str(seen_at), "TERM": "xterm"}
    screen = _in_a_terminal(
        [needed("vim.nox"), "-N", "-u", str(HERE / "session.vim")], {**environment, **variables}, answer=b"1\r"
    )
    assert seen_at.exists(), screen[-2000:]
    seen = json.loads(seen_at.read_text())
    assert "failed" not in seen, seen
    ((line, code, kind, message),) = seen["diagnostics"]
    assert (line, code, kind) == (4, "GG101", "E")
    assert "it needs `y`, which this changes" in message
    assert seen["signs"] == 1
    assert "0 → 1" in seen["hover"]


def _in_a_terminal(command: list[str], environment: dict[str, str], answer: bytes) -> bytes:
    """Run a program that wants a terminal, give the answer to its menu, and return what it showed."""
    process, terminal = pty.fork()
    if process == 0:
        os.execve(command[0], command, environment)
    shown, answered, end = b"", False, time.monotonic() + LIMIT
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the program has ended
            break
        shown += piece
        if not answered and b"Type number" in shown:
            answered = os.write(terminal, answer) > 0
    else:
        os.kill(process, 9)
    os.close(terminal)
    os.waitpid(process, 0)
    return shown
