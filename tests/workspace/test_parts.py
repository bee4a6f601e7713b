"""Which files of a part are parsed at all: those that may matter, and those that something is to be said of."""

import gc
import weakref
from pathlib import Path

import pytest
from gradguard.rules.rule import Severity
from gradguard.syntax import chunks
from gradguard.workspace import parts
from gradguard.workspace.batch import Group, Means, check_all
from gradguard.workspace.config import Config
from gradguard.workspace.project import Project

STALE = """\
import torch

x = torch.rand(3, requires_grad=True)
y = torch.exp(x)
y += 1
y.sum().backward()
"""


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were parsed."""
    seen: list[str] = []
    parse = chunks.parse

    def noting(text: str, path: str = "", previous=None, later: bool = False):
        seen.append(Path(path).name)
        return parse(text, path, previous, later)

    monkeypatch.setattr(chunks, "parse", noting)
    return seen


def checked(folder: Path, **files: str):
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return check_all([Group(Config(folder), [str(folder / f"{name}.py") for name in files], Severity.WARNING)], Means())


def test_files_that_have_nothing_to_do_with_torch_are_not_parsed(tmp_path: Path, parsed: list[str]) -> None:
    result = checked(tmp_path, main=STALE, web="import json\nimport text\n", text="import re\nx = 1\n")
    assert parsed == ["main.py"]
    assert (result.checked, len(result.found), result.problems) == (3, 1, [])


@pytest.mark.parametrize(
    ("line", "matters"),
    [
        ("# kept for backward compatibility", False),
        ("def go_backward(steps): ...", False),
        ("def step(loss): loss.backward()", True),
        ("def step(loss): run(loss.backward)", True),
        ('def step(loss): getattr(loss, "backward")()', True),
    ],
)
def test_whoever_runs_backward_matters(tmp_path: Path, parsed: list[str], line: str, matters: bool) -> None:
    checked(tmp_path, main=STALE, user=f"{line}\n")
    assert ("user.py" in parsed) is matters


@pytest.mark.parametrize(
    "statement",
    [
        "import main",
        "import os, main as m",
        "from main import y",
        "from . import main",
        "from .main import (y,\n    x)",
        "from . import (os,  # first\n    main)",
        "def f():\n    import main",
        "if True: import main",
        "x = 1; import main",
        "from \\\n    main import y",
        "import leaf",
    ],
)
def test_whoever_imports_what_uses_torch_matters(tmp_path: Path, parsed: list[str], statement: str) -> None:
    checked(tmp_path, main=STALE, leaf="from main import x\n", user=f"{statement}\n")
    assert "user.py" in parsed


def test_what_is_wrong_with_the_syntax_is_told_of_every_file(tmp_path: Path) -> None:
    result = checked(tmp_path, web="def f(:\n    pass\n")
    assert [(Path(problem.path).name, problem.line) for problem in result.problems] == [("web.py", 1)]


def test_idle_comments_are_told_of_in_every_file(tmp_path: Path) -> None:
    (idle,) = checked(tmp_path, web="x = 1  # gradguard: ignore[GG101]\n").found
    assert (idle.code, idle.span.start_line) == ("GG900", 0)


def test_what_is_too_much_to_keep_is_gone_before_the_next_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[Project]] = []

    def making(*arguments) -> Project:
        assert not any(one() for one in made)
        project = Project(*arguments)
        made.append(weakref.ref(project))
        return project

    monkeypatch.setattr(parts, "KEPT", 0)
    monkeypatch.setattr(parts, "Project", making)
    gc.disable()
    try:
        for name in ("one", "two"):
            checked(tmp_path, **{name: STALE})
    finally:
        gc.enable()
    assert len(made) == 2
