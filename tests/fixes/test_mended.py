"""What real PyTorch says of mended programs: they run, and safe fixes keep every loss and gradient."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from gradguard.fixes.edit import Edit, Fix

from ..altered import altered
from ..oracle.client import run_program
from .folder import Folder, told
from .proof import different, mended, proven, written
from .real import run

TESTS = Path(__file__).parents[1]
PROGRAMS = sorted(path.parent for path in (TESTS / "programs").glob("*/*/buggy"))
PART = 3
"""One program of so many is tried here, chosen by its name, as each fix runs PyTorch; `make fixes` tries them all."""
EXAMPLES = sorted(path for path in (TESTS.parent / "examples").glob("[0-9]*.py") if not path.stem.endswith("_mended"))
GENERATED = [f"mended {number}" for number in range(30)]

NOT_MENDED = {
    "data/columns_of_where": "of two tensors that one operation has saved, the first is told",
    "entry/attribute_made_when_missing": "what is made once has to be made anew in each round",
    "entry/cached_property_of_graph": "what is made once has to be made anew in each round",
    "autograd/rounding_in_custom_backward": "only its author knows the derivative that is meant",
    "entry/iterating_layers_of_soil": "the rows are those of an object, which is to be written by index",
    "modules/activations_limited_everywhere": "the hook has to return what it makes",
    "loops/retry_after_exception": "the failure is not found",
}
"""Programs that no offered fix mends, and why."""


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def assert_proven(root: Path, folder: Path) -> None:
    problems = list(proven(Folder(root), folder / "each"))
    assert not problems
    last, _ = mended(Folder(root), folder / "all")
    verdict = run_program(last)
    assert verdict.ok, verdict.message


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=name(path), marks=[pytest.mark.xfail(reason=NOT_MENDED[name(path)], strict=True)])
        if name(path) in NOT_MENDED
        else pytest.param(path, id=name(path))
        for path in PROGRAMS
        if name(path) in NOT_MENDED or crc32(name(path).encode()) % PART == 0
    ],
)
def test_fixes_mend_and_safe_ones_keep_every_value(path: Path, tmp_path: Path) -> None:
    assert_proven(path / "buggy", tmp_path)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_fixes_mend_the_examples(path: Path, tmp_path: Path) -> None:
    (tmp_path / "program").mkdir()
    shutil.copy(path, tmp_path / "program" / "main.py")
    assert_proven(tmp_path / "program", tmp_path)


@pytest.mark.parametrize("seed", GENERATED)
def test_fixes_of_generated_programs_keep_every_value(seed: str, tmp_path: Path) -> None:
    """What follows the failure was drawn without being tried, and may fail in ways of its own."""
    from ..fuzz.generate import draw

    drawn = program(draw(seed).text, tmp_path / "drawn")
    assert not [problem for problem in proven(drawn, tmp_path / "each") if "it fails" not in problem]


# -- the proof can fail ---------------------------------------------------------------------------

WATCHED = """\
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = w * 2
watch = x.view(2)
y = x.sin()
x += 1
loss = y.sum() + watch.square().sum()
loss.backward()
"""
"""a change that another name is meant to see"""


REACHED_BY_VIEWS = """\
import torch

w = torch.ones(4, requires_grad=True)
x = w * 2
a, b = x.chunk(2)
x += 1
(a * b).sum().backward()
"""
"""PyTorch refuses this at once, so that no run tells what was meant"""

SAVES_WHAT_IT_CHANGES = """\
import torch

w = torch.ones(4, requires_grad=True)
(w.sum()).backward()
x = torch.sigmoid(w)
x.multiply_(x)
x.sum().backward()
"""


def program(text: str, folder: Path) -> Folder:
    folder.mkdir()
    (folder / "main.py").write_text(text, "utf-8")
    return Folder(folder)


def verdicts(of: Folder, fix: Fix, folder: Path) -> list[str]:
    return list(different(run(of.root, meant=True), run(written(folder, of, fix))))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("x += 1", "x = x + 1", "the losses differ"),
        ("x.sin()", "x.sin().detach()", "the gradients differ"),
        ("x.sin()", "x.sin() + 0", "it fails"),
        ("x.sin()", "x.clone().sin()", None),
    ],
)
def test_a_wrong_edit_is_told_by_what_it_changes(old: str, new: str, problem: str | None, tmp_path: Path) -> None:
    watched = program(WATCHED, tmp_path / "watched")
    path = str(watched.root / "main.py")
    watched.source(watched.root / "main.py")
    start = WATCHED.index(old)
    fix = Fix("", "safe", (Edit(path, start, start + len(old), new),))
    assert [one.partition(":")[0] for one in verdicts(watched, fix, tmp_path / "edited")] == (
        [problem] if problem else []
    )


def test_a_wrong_belief_about_who_sees_a_change_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = program(WATCHED, tmp_path / "watched")
    assert not list(proven(watched, tmp_path / "right"))
    for module in ("observers", "clone"):
        monkeypatch.setattr(f"gradguard.fixes.{module}.observed", lambda failure, context: False)
    assert any("the losses differ" in problem for problem in proven(Folder(watched.root), tmp_path / "wrong"))


UNRECORDED = """\
import torch

w = torch.rand(3, requires_grad=True)
v = torch.rand(3, requires_grad=True)
x = w.neg()
y = x * v
with torch.no_grad():
    x.relu_()
loss = y.sum() + (x * w).sum()
loss.backward()
"""
"""in place, `x` stays in the graph; a new tensor made under `no_grad()` is in none"""


def test_the_gradients_tell_of_a_fact_that_is_wrong(tmp_path: Path) -> None:
    def flows_not(case: dict[str, Any]) -> None:
        case["flows"] = []

    unrecorded = program(UNRECORDED, tmp_path / "unrecorded")
    assert not list(proven(unrecorded, tmp_path / "right"))
    with altered("torch.Tensor.neg", flows_not):
        problems = list(proven(Folder(unrecorded.root), tmp_path / "wrong"))
    assert any("the gradients differ" in problem for problem in problems)


def test_the_losses_tell_of_a_fact_that_is_wrong(tmp_path: Path) -> None:
    def is_new(case: dict[str, Any]) -> None:
        case["results"] = [{"kind": "new"}]

    watched = program(WATCHED, tmp_path / "watched")
    with altered("torch.Tensor.view", is_new):
        problems = list(proven(watched, tmp_path / "wrong"))
    assert any("the losses differ" in problem for problem in problems)


def test_a_change_that_views_made_before_show_is_seen(tmp_path: Path) -> None:
    views = program(REACHED_BY_VIEWS, tmp_path / "views")
    report = views.replay()
    (failure,) = told(report)
    fixes = views.fixes(failure, report)
    assert fixes
    assert all(fix.safety == "unsafe" for fix in fixes)


def test_what_an_operation_changes_is_not_copied_for_it(tmp_path: Path) -> None:
    squared = program(SAVES_WHAT_IT_CHANGES, tmp_path / "squared")
    assert not list(proven(squared, tmp_path / "each"))


SEVERAL = """\
import copy

import torch

w = torch.ones(3, requires_grad=True)
h = torch.sigmoid(w)
h += 1
loss = h.sum()
loss.backward()
w -= 0.1
w *= 2
held = [w * 2]
copied = copy.deepcopy(held)
again = copy.deepcopy(held)
"""


def test_failures_one_behind_the_other_are_mended_one_by_one(tmp_path: Path) -> None:
    last, count = mended(program(SEVERAL, tmp_path / "several"), tmp_path / "all")
    assert count > 3
    verdict = run_program(last)
    assert verdict.ok, verdict.message


CANCELLED = """\
import torch

w = torch.rand(2, 2, 3, requires_grad=True)
other = torch.rand(2, 2, 3)
layer = torch.nn.Linear(3, 3)
x = layer(w)
y = torch.atan2(x, x)
x %= x
x[...] *= 2
(x.sum() + y.sum()).backward()
"""
"""what flows to `layer` adds up to nothing, but for what is rounded"""

NOISY = """\
import torch

w = torch.rand(4, requires_grad=True) - 0.5
x = torch.nn.functional.rrelu(w, 0.1, 0.9, True)
y = x.sin()
x += 1
(x.sum() + y.sum()).backward()
"""
"""`rrelu` saves its noise before it draws it"""


@pytest.mark.parametrize("text", [CANCELLED, NOISY])
def test_no_fix_is_taken_for_a_wrong_one(text: str, tmp_path: Path) -> None:
    assert not list(proven(program(text, tmp_path / "right"), tmp_path / "each"))
