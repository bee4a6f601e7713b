"""What the extension's own environment gets is pinned, with hashes, and is what the server needs."""

from __future__ import annotations

import re
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "vscode-client" / "requirements.lock").read_text()
PINNED = {
    canonicalize_name(requirement.name): requirement
    for requirement in map(Requirement, re.findall(r"^(\S[^\\\n]*?) *\\$", LOCK, re.MULTILINE))
}
tomllib = pytest.importorskip("tomllib")
OWN = [*map(Requirement, tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"])]


def test_each_line_is_a_version_with_hashes() -> None:
    for block in re.split(r"\n(?=\S)", LOCK.strip()):
        assert re.fullmatch(r"[\w.-]+==\S+( ; [^\\\n]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+", block), block


@pytest.mark.parametrize("requirement", OWN, ids=str)
def test_the_lock_has_what_the_project_asks_for(requirement: Requirement) -> None:
    (pin,) = PINNED[canonicalize_name(requirement.name)].specifier
    assert requirement.specifier.contains(pin.version)


@pytest.mark.parametrize("requirement", OWN, ids=str)
def test_no_dependency_is_open_above(requirement: Requirement) -> None:
    assert any(one.operator == "<" for one in requirement.specifier)


def test_the_lock_has_what_the_dependencies_ask_for() -> None:
    asked = [Requirement(text) for name in PINNED if not PINNED[name].marker for text in requires(name) or ()]
    needed = {canonicalize_name(one.name) for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})}
    assert needed <= PINNED.keys()
