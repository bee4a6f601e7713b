"""Fixes are tried in no more of a program than what can tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.workspace.around import Importers
from gradguard.workspace.project import Project

if TYPE_CHECKING:
    from pathlib import Path

STALE = "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()\n"
HELPER = "def shift(t):\n    t += 1\n"
MAIN = (
    "import torch\nfrom helper import shift\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\nshift(y)\n"
    "y.sum().backward()\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name, text in {"helper": HELPER, "main": MAIN, "other": "import main\nimport torch\n", "stale": STALE}.items():
        (tmp_path / f"{name}.py").write_text(text)
    return Project(tmp_path)


def paths(project: Project, *names: str) -> list[str]:
    return [str(project.root / f"{name}.py") for name in names]


def test_a_fix_is_tried_where_it_is_imported_and_nowhere_else(project: Project) -> None:
    everything = paths(project, "helper", "main", "other", "stale")
    in_helper, alone = project.check(everything, traced=False).findings
    assert project.fixes(in_helper)
    assert tried(project) == [paths(project, "main", "other")], "it begins with those that use torch"
    assert [fix.safety for fix in project.fixes(alone, most=1)] == ["safe"]
    assert tried(project)[1:] == [paths(project, "stale")]


def tried(project: Project) -> list[list[str]]:
    """The files that the programs begin with in which fixes were tried."""
    return [[one.path for one in trials.roots] for trials in project._trials.values()]


def test_the_same_fixes_are_found_as_in_the_whole(project: Project) -> None:
    everything = paths(project, "helper", "main", "other", "stale")
    apart = [project.fixes(one) for one in project.check(everything, traced=False).findings]
    project._importing = lambda paths: frozenset(everything)  # type: ignore[method-assign]
    assert apart == [project.fixes(one) for one in project.check(everything).findings]


def test_importers_are_found_through_others() -> None:
    texts = {"a": "import b", "b": "from . import c", "c": "", "d": "import x"}
    importers = Importers(list("abcd"), texts.__getitem__, lambda name, level, path: name if name in texts else None)
    assert importers.of(["c"]) == {"a", "b", "c"}
    assert importers.of(["d"]) == {"d"}
