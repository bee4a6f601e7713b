"""Models of the user's own: the page that explains them, which of several is taken, and wrong ones."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from gradguard.cli.main import main
from gradguard.workspace.config import Config
from gradguard.workspace.project import Project

from website.blocks import blocks

PAGES = sorted((Path(__file__).parents[2] / "docs" / "help").glob("your-libraries*.md"))
CODES = ["GG101"]
MODEL = "from gradguard import linked\n\ndef halved(x):\n    return linked(x, saves=[x])\n"
PROGRAM = """\
import torch
from fastnet import halved

x = torch.ones(3, requires_grad=True) * 1
y = halved(x)
x += 1
y.backward()
"""


def project(folder: Path, model: str = MODEL, program: str = PROGRAM, name: str = "fastnet.py") -> Project:
    """A project in `folder` whose models are in `models`."""
    file = folder / "models" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(model)
    (folder / "main.py").write_text(program)
    return Project(folder, Config(folder, models=("models",)))


def codes(one: Project) -> list[str]:
    result = one.check([str(one.root / "main.py")])
    assert not result.problems
    return [finding.rule.code for finding in result.findings]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_says_what_happens(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list(blocks(page.read_text("utf-8")))
    for block in told:
        if block.title.endswith(".py") and block.language == "python":
            (tmp_path / block.title).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.title).write_text(block.text, "utf-8")
    (tmp_path / "pyproject.toml").write_text(next(block.text for block in told if block.language == "toml"))
    output = next(block for block in told if block.language == "text")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", output.title.split())
    assert main([*output.title.split()[1:], "--no-cache"]) == 1
    assert capsys.readouterr().out == output.text


def test_every_word_of_the_page_is_one(tmp_path: Path) -> None:
    text = PAGES[0].read_text("utf-8")
    words = set(re.findall(r"^\| `(\w+)\(", text, re.MULTILINE)) | {"accepts"}
    model = f"from gradguard import {', '.join(sorted(words))}\n"
    assert not project(tmp_path, model).models.problems()


def test_a_model_says_what_a_library_does(tmp_path: Path) -> None:
    assert codes(project(tmp_path)) == CODES
    assert codes(project(tmp_path / "in a package", name="fastnet/__init__.py")) == CODES
    assert not codes(Project(tmp_path))


def test_the_projects_own_sources_go_first_and_built_in_models_last(tmp_path: Path) -> None:
    (tmp_path / "fastnet.py").write_text("def halved(x):\n    return x / 2\n")
    assert not codes(project(tmp_path))
    own = project(tmp_path / "instead", "def odeint(f, y, t):\n    return y.exp()\n", name="torchdiffeq.py")
    text = PROGRAM.replace("from fastnet import halved", "from torchdiffeq import odeint").replace(
        "y = halved(x)\nx += 1", "y = odeint(None, x, None).sum()\nx += 1"
    )
    (tmp_path / "instead" / "main.py").write_text(text)
    assert not codes(own)  # `exp` saves its result


def test_a_changed_model_is_read_again(tmp_path: Path) -> None:
    one = project(tmp_path)
    assert codes(one) == CODES
    changed = tmp_path / "models" / "fastnet.py"
    changed.write_text(MODEL.replace(", saves=[x]", ""))
    one.read_again([str(changed)])
    assert not codes(one)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("def halved(x:\n", "fastnet.py:1: "),
        ("import torch\n\nfrom gradguard import likned\n", "fastnet.py:3: models have no `likned` to import"),
        ("def halved(x):\n    return x.no_such_thing(1)[2:3](None)\n", None),
        ("raise ValueError\n", None),
        ("while True:\n    pass\n", None),
        ("from .nowhere import *\nfrom fastnet import halved\n", None),
    ],
)
def test_a_wrong_model_is_told_or_unknown(model: str, told: str | None, tmp_path: Path) -> None:
    one = project(tmp_path, model)
    result = one.check([str(tmp_path / "main.py")])
    assert not result.findings
    shown = [f"{Path(found.path).name}:{found.line}: {found.message}" for found in result.problems]
    assert not any(found.internal for found in result.problems)
    assert bool(shown) == bool(told) and all(told in line for line in shown if told)


def test_a_folder_that_is_missing_is_told(tmp_path: Path) -> None:
    one = Project(tmp_path, Config(tmp_path, models=("modles",)))
    (found,) = one.models.problems()
    assert found.path == str(tmp_path / "modles") and "no such folder" in found.message


def test_nothing_of_a_model_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    model = f"open({str(trap)!r}, 'w').write('run')\n__import__('pathlib').Path({str(trap)!r}).touch()\n" + MODEL
    assert codes(project(tmp_path, model)) == CODES
    assert not trap.exists()


def test_models_are_not_checked_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.gradguard]\nmodels = ["models"]\n')
    monkeypatch.chdir(tmp_path)
    main(["check", "--show-files"])
    assert capsys.readouterr().out.split() == ["main.py"]
