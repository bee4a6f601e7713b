"""PyTorch's rules, program by program: what it does, and what the replay says.

The documents in `autograd/` walk through the rules. At the end of a line of a program stands what happens
there: `# saved` (an operation saves the tensor that backward finds stale), `# changed` (it is changed
since), `# raises KIND` (PyTorch raises), `# wrong gradient` (nothing raises, and the gradient is wrong),
`# lost gradient` (`.grad` of a non-leaf is read). `x=2` tells that the version of `x` is 2 after the line.
A program without marks runs, and there is nothing to say of it.

PyTorch runs each program, and so does the replay; both are held against the marks. What the replay knows
of the tensors after each line (version, requires_grad, is_leaf, who shares memory) is held against PyTorch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.program.session import replay
from gradguard.syntax.chunks import parse

from ..oracle.client import run_program, trace_versions
from .documents import Block, cases
from .replaying import Alone
from .states import states_of, wrong_rows

if TYPE_CHECKING:
    from gradguard.analyses.domain.report import Failure, Site

    from ..oracle.answers import Verdict

DOCUMENTS = Path(__file__).parent / "autograd"
PRELUDE = "import torch; from torch import nn; import torch.nn.functional as F\n"
TWO_PLACES = ("stale-saved", "silent-stale")


@dataclass(slots=True)
class Marks:
    """What a program's comments say, by line."""

    kind: str | None = None
    raised: int | None = None
    saved: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)
    versions: dict[tuple[int, str], int] = field(default_factory=dict)


def marks_of(text: str) -> Marks:
    marks = Marks()
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.search(r"  # (.*)$", line)
        for mark in comment[1].split(", ") if comment else ():
            word, _, rest = mark.partition(" ")
            if word == "raises":
                marks.kind, marks.raised = rest, number
            elif mark == "wrong gradient":
                marks.kind = "silent-stale"
            elif mark == "lost gradient":
                marks.kind, marks.raised = "nonleaf-grad", number
            elif word in ("saved", "changed"):
                (marks.saved if word == "saved" else marks.changed).add(number)
            else:
                name, _, version = mark.partition("=")
                marks.versions[number, name] = int(version)
    return marks


def line(place: str | Site | None) -> int | None:
    """The line of a place that the oracle or the replay tells."""
    if place is None or isinstance(place, str):
        return int(place.rpartition(":")[2]) if place else None
    return place.chunk.span(place.node).start_line + 1


@pytest.fixture
def program(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    block: Block = request.param
    path = tmp_path / "main.py"
    path.write_text(PRELUDE + block.text)
    return path


BLOCKS = cases(DOCUMENTS)


def unconditional(blocks: list[object]) -> list[object]:
    """The same cases, expected to pass: what the replay misses is still what PyTorch does."""
    return [pytest.param(*case.values, id=case.id) for case in blocks]  # type: ignore[attr-defined]


@pytest.mark.parametrize("program", unconditional(BLOCKS), indirect=True)
def test_pytorch(program: Path) -> None:
    marks = marks_of(program.read_text())
    verdict: Verdict = run_program(program)
    assert verdict.kind == marks.kind, verdict.message
    assert marks.raised in {line(place) for place in (*verdict.stack, verdict.raised)}
    if marks.kind in TWO_PLACES:
        assert {line(place) for place in verdict.saved} == marks.saved
        assert {line(place) for place in verdict.mutation} | marks.changed == marks.changed
    rows = {(row.line, row.name): row.version for row in trace_versions(program)}
    assert {place: rows.get(place) for place in marks.versions} == marks.versions


@pytest.mark.parametrize("program", BLOCKS, indirect=True)
def test_replay(program: Path) -> None:
    marks = marks_of(program.read_text())
    report = replay([parse(program.read_text(), "main.py")], Alone())
    assert not report.problems
    told = [brief(failure) for failure in report.failures]
    if marks.kind is None:
        assert not told
    else:
        assert {failure.kind for failure in report.failures} == {marks.kind}, told
        assert all(not failure.assumptions for failure in report.failures), told
        assert {line(failure.raised) for failure in report.failures} == {marks.raised}, told
    if marks.kind in TWO_PLACES:
        assert {line(failure.saved.site) for failure in report.failures if failure.saved} == marks.saved, told
        assert {line(failure.site) for failure in report.failures} <= marks.changed, told
    states = states_of(report.rows)
    assert not wrong_rows(states, trace_versions(program))
    assert {place: states[place].version for place in marks.versions} == marks.versions


def brief(failure: Failure) -> str:
    """A failure, for the output of a test."""
    saved = line(failure.saved.site) if failure.saved else None
    return f"{failure.kind}: {line(failure.site)}, saved {saved}, raised {line(failure.raised)}, {failure.assumptions}"


def test_what_comes_after_a_failure_is_not_reached() -> None:
    program = """\
import torch

def scaled(x: torch.Tensor, double):
    h = x.double() if double else x * 1
    a, b, c = h.unbind()
    b.sub_(c).mul_(2)
    a += 1
"""
    report = replay([parse(program, "main.py")], Alone())
    assert [failure.site.chunk.span(failure.site.node).start_line for failure in report.failures] == [5]


def test_what_comes_after_a_failure_in_a_loop_is_not_reached() -> None:
    program = """\
import torch

def grown(x: torch.Tensor):
    volume, mass = torch.split(x, 1, -1)
    active = torch.ones_like(volume).bool()
    for _ in range(100):
        if active.sum() == 0:
            break
        loss = volume[active] * mass[active]
        volume[active] = volume[active] + loss
        mass[active] = mass[active] + loss
    return torch.stack([volume, mass])
"""
    report = replay([parse(program, "main.py")], Alone())
    assert [failure.site.chunk.span(failure.site.node).start_line for failure in report.failures] == [9]


def test_a_branch_on_requires_grad_is_one_on_what_decides_it() -> None:
    program = """\
import torch

def largest(x: torch.Tensor, y: torch.Tensor):
    recording = torch.is_grad_enabled() and (x.requires_grad or y.requires_grad)
    total = x + y
    if not recording:
        torch.maximum(total, x, out=total)
    return total

def largest_of_all(x: torch.Tensor, y: torch.Tensor):
    total = x + y
    torch.maximum(total, x, out=total)
    return total
"""
    report = replay([parse(program, "main.py")], Alone())
    assert {failure.site.chunk.span(failure.site.node).start_line for failure in report.failures} == {11}
