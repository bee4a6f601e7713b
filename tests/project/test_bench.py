"""What `make bench` types, and where: programs as long as they are said to be, and keys that make a program."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

import pytest

from bench import report
from bench.latency import PACE, SERVERS, at_place, changes, measure
from bench.places import PLACES, PROGRAMS, notebook, notebook_cells, training_files, training_script
from bench.report import Result

if TYPE_CHECKING:
    from pathlib import Path

OWN = [name for name in PLACES if not name.startswith("timm-") and name not in ("llama", "bart")]
"""the places whose programs are here, not on PyPI"""


def test_programs_are_as_long_as_they_are_said_to_be(tmp_path: Path) -> None:
    assert 1_250 < training_script().count("\n") < 1_350
    assert len(training_files()) == 30
    notebook(tmp_path, tmp_path)
    assert len(json.loads((tmp_path / "compare.ipynb").read_text())["cells"]) == 300
    assert 280 < (PROGRAMS / "lightning_module.py").read_text().count("\n") < 320
    assert (PROGRAMS / "forecasters.py").read_text().count("(Forecaster):") == 20


def test_programs_define_what_they_use(tmp_path: Path) -> None:
    """A name that no part of the script defines would be one that nobody writes."""
    for text in (training_script(), "\n".join(notebook_cells())):
        tree = ast.parse(text)
        defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        called = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        own = {name for name in called if name.endswith(("Net", "Block", "Stage", "_small", "_base", "_loss", "_step"))}
        assert len(own) > 30
        assert own <= defined


@pytest.mark.parametrize("name", OWN)
def test_what_is_typed_makes_a_program(name: str, tmp_path: Path) -> None:
    work = at_place(PLACES[name], PLACES[name].program(tmp_path, tmp_path))
    text = work.texts[work.typed_into]
    lines = text.split("\n")
    whole = sum(len(statement.lstrip()) + 1 for statement in work.typed)
    for line, column, key in changes(work, whole):
        before, after = (
            "\n".join([*lines[:line], lines[line][:column]]),
            "\n".join([lines[line][column:], *lines[line + 1 :]]),
        )
        lines = (before + key + after).split("\n")
    assert all(statement.strip() in map(str.strip, lines) for statement in work.typed)
    ast.parse("\n".join(lines))


@pytest.mark.parametrize("pace", [None, PACE])
def test_each_key_is_answered(pace: float | None, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def f(x):\n    y = x.exp()\n    return y\n")
    work = at_place(
        type(PLACES["base"])("", lambda _, into: into, "model.py", lambda _: (2, "    "), ("y += 1",)), tmp_path
    )
    result = measure(SERVERS["gradguard"], work, 6, pace)
    assert result is not None
    assert len(result.keys) == 7
    assert 0 < result.median < 10_000


def test_what_misses_its_target_is_marked() -> None:
    good, bad = Result(10, keys=[5.0, 6.0]), Result(10, keys=[5.0, 300.0])
    text = report.places({("here", "one"): (good, good), ("there", "two"): (good, bad)})
    rows = text.splitlines()[2:]
    assert rows[0].endswith("| yes |") and "**" not in rows[0]
    assert rows[1].endswith("| no |") and "**300 ms**" in rows[1]
