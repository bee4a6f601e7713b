"""The version is the same wherever it is written."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_version_is_the_same_everywhere() -> None:
    def written(name: str, pattern: str) -> str:
        found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert found is not None
        return found[1]

    extension = json.loads((ROOT / "vscode-client" / "package.json").read_text(encoding="utf-8"))
    assert {
        written("pyproject.toml", r'^version = "(.+)"'),
        written("CITATION.cff", r"^version: (.+)"),
        extension["version"],
    } == {version("gradguard")}
