"""Every promise of SECURITY.md names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROMISES = re.findall(r"^- (.*?)(?=^- |\n\n)", (ROOT / "SECURITY.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: re.sub(r"\W+", "-", promise[:40]))
def test_a_promise_is_held_by_tests(promise: str) -> None:
    named = re.findall(r"`((?:tests|vscode-client/test)/[^`]*)`", promise)
    assert named
    assert all((ROOT / name).is_file() for name in named)
