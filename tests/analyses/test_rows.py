"""What a list holds to which some branches have appended: each item is there where its branch was taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.program.session import replay
from gradguard.rules.diagnostic import diagnose
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse

from .models.agreement import happens
from .replaying import Alone

if TYPE_CHECKING:
    from pathlib import Path

FEW, MANY = 2, 6
"""turns of the loops; of the many, more branches decide than are told apart"""

BEGINNING = """\
import sys
import torch

CHOSEN = len(sys.argv) {} 0
p = torch.linspace(0.5, 1.0, 4).requires_grad_()
kept = []
"""

FAILING = {
    "a turn for each": """\
y = p.exp()
for k in range({turns}):
    if CHOSEN and k != len(sys.argv) + 9:
        kept.append(torch.ones(4))
for one in kept:
    y.add_(1)
y.sum().backward()
""",
    "a turn for each pair": """\
y = p.exp()
for k in range({turns}):
    if CHOSEN and k != len(sys.argv) + 9:
        kept.append(torch.ones(4))
for number, (one, other) in enumerate(zip(kept, [1.0] * {turns})):
    y.add_(other)
y.sum().backward()
""",
    "an operator on them all": """\
kept.append(p)
for k in range({turns}):
    row = torch.ones(4)
    row -= torch.dot(row, p) * p
    if CHOSEN and row.sum() != 9:
        kept.append(row)
torch.stack(kept).sum().backward()
""",
    "those made of them": """\
for k in range({turns}):
    if CHOSEN and k != len(sys.argv) + 9:
        kept.append(p.exp())
total = p.sum()
for one in [k.add_(1) for k in kept]:
    total = total + one.sum()
total.backward()
""",
    "those that a generator gives": """\
for k in range({turns}):
    if CHOSEN and k != len(sys.argv) + 9:
        kept.append(p.exp())
torch.stack([p, *list(one.mul_(2) for one in kept)]).sum().backward()
""",
    "the last one": """\
kept.append(p * 1)
for k in range({turns}):
    if CHOSEN and k != len(sys.argv) + 9:
        kept.append(p.exp())
kept[-1].mul_(2).sum().backward()
""",
    "the one that is taken out": """\
kept.append(p * 1)
for k in range({turns}):
    if CHOSEN and k != len(sys.argv) + 9:
        kept.append(p.exp())
kept.pop().mul_(2).sum().backward()
""",
}


@pytest.mark.parametrize("turns", [FEW, MANY])
@pytest.mark.parametrize("name", FAILING)
def test_what_rests_on_a_branch_is_no_error(name: str, turns: int, tmp_path: Path) -> None:
    """It fails with the items, and without them it does not."""
    rest = FAILING[name].format(turns=turns)
    assert happens(tmp_path, BEGINNING.format(">") + rest) == {"stale-saved"}
    assert not happens(tmp_path, BEGINNING.format("<") + rest)
    report = replay([parse(BEGINNING.format(">") + rest, "main.py")], Alone())
    assert not report.problems
    assert [one.severity for one in diagnose(report)] == [Severity.WARNING]


SILENT = {
    "the kept are replaced": """\
for k in range({turns}):
    kept.append((p * k).exp())
    if len(sys.argv) > k:
        torch.stack(kept).sum().backward()
        kept.clear()
""",
    "a generator of them": """\
for k in range({turns}):
    kept.append((p * k).exp())
    if len(sys.argv) > k:
        torch.stack(list(one * 2 for one in kept)).sum().backward()
        kept = []
""",
    "their number": """\
for k in range({turns}):
    if len(sys.argv) > 9:
        kept.append(p.exp())
y = p.exp()
if len(kept) > 1 or len(list(kept)) > 1:
    y = y + 1
    y.mul_(2)
else:
    y = p * 2
    y.mul_(2)
y.sum().backward()
""",
}


@pytest.mark.parametrize("turns", [FEW, MANY])
@pytest.mark.parametrize("name", SILENT)
def test_what_is_not_there_does_no_harm(name: str, turns: int, tmp_path: Path) -> None:
    text = BEGINNING.format(">") + SILENT[name].format(turns=turns)
    assert not happens(tmp_path, text)
    report = replay([parse(text, "main.py")], Alone())
    assert not report.problems
    assert not diagnose(report)
