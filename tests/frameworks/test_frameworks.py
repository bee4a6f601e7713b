"""Models of libraries beside the libraries: whole programs, with what GradGuard tells and what really happens.

A program marks the line that breaks it with `# here`; without a mark it runs to its end. What it prints must be the
same where it runs with the real library and with the model in its place: the order of hooks, modes, versions. For that
`make frameworks` makes an environment with the releases in `requirements.txt` and `bare.txt`, and names its Python in
`FRAMEWORKS`.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from gradguard.analyses import replay
from gradguard.analyses.libraries import polyfills
from gradguard.rules.diagnostic import Severity, diagnose
from gradguard.syntax.chunks import parse

from ..analyses.replaying import Alone

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
ORDERS = [path for path in PROGRAMS if path.stem.endswith("_order")]
"""Programs that print what a library does; its model does the same under real Python."""

PYTHON = os.environ.get("FRAMEWORKS")
MARK = "# here"
FAILURES = (
    "modified by an inplace operation",
    "a leaf Variable that requires grad",
    "a second time",
    "is a view and is being modified inplace",
    "Inference tensors cannot be saved",
)

real = pytest.mark.skipif(PYTHON is None, reason="`make frameworks` runs it")
of_programs = pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)


def marked(path: Path) -> list[int]:
    """The lines that a program marks, from 1."""
    return [i for i, line in enumerate(path.read_text().splitlines(), 1) if MARK in line]


def alarms(path: Path) -> list[int]:
    """The lines of a program that an error or a warning is about."""
    report = replay([parse(path.read_text(), str(path))], Alone())
    assert not report.problems and not report.errors
    found = [one for one in diagnose(report) if one.severity is not Severity.HINT]
    return [one.site.chunk.line_of(one.site.node) + 1 for one in found]


def run(path: Path, *before: Path) -> subprocess.CompletedProcess[str]:
    """Run a program, with folders `before` the environment's own modules."""
    assert PYTHON is not None
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*before, HERE / "environment")))}
    command = [PYTHON, "-W", "ignore", str(path)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, cwd=path.parent)


@of_programs
def test_what_is_told_is_what_is_marked(path: Path) -> None:
    assert alarms(path) == marked(path)


@real
@of_programs
def test_a_program_fails_where_it_is_marked(path: Path) -> None:
    done = run(path)
    if marked(path):
        assert done.returncode != 0 and any(text in done.stderr for text in FAILURES), done.stderr
    else:
        assert done.returncode == 0, done.stderr


@real
@pytest.mark.parametrize("path", ORDERS, ids=lambda path: path.stem)
def test_a_model_does_what_the_library_does(path: Path) -> None:
    library, model = run(path), run(path, Path(polyfills.__file__).parent, HERE / "intrinsics")
    assert model.returncode == 0, model.stderr
    assert library.stdout.split("TRACE")[1:] == model.stdout.split("TRACE")[1:] != []
