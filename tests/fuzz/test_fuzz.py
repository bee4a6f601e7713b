"""What GradGuard says is what PyTorch does: a slice of the generated programs, and that the comparison can fail."""

from __future__ import annotations

import io
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ..altered import altered
from . import known
from .generate import draw
from .program import IMPORTS
from .run import differing, judged, run
from .shrink import shrink

SEED, SLICES, PROGRAMS = "r3", (0, 50), 50


def agreed() -> list[object]:
    """The programs of `agreed.md` under their titles."""
    _, *sections = Path(__file__).with_name("agreed.md").read_text().split("\n## ")
    return [
        pytest.param(program, id=section.partition("\n")[0])
        for section in sections
        for program in re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    ]


@pytest.mark.parametrize("program", agreed())
def test_the_answers_are_the_same(program: str, tmp_path: Path) -> None:
    comparison = judged(IMPORTS + program, tmp_path)
    assert comparison is not None
    assert not comparison.disagreements


@pytest.mark.parametrize("first", SLICES)
def test_generated_programs_do_what_gradguard_says(first: int) -> None:
    result = run(PROGRAMS, SEED, jobs=1, progress=io.StringIO(), first=first)
    assert not result.unexplained, "\n\n".join(map(str, result.unexplained))
    assert result.kinds["runs"] < 0.9 * result.compared
    assert result.compared > 0.75 * PROGRAMS


@pytest.mark.parametrize("limit", known.LIMITS, ids=lambda limit: limit.name)
def test_a_known_limit_is_still_one(limit: known.Limit, tmp_path: Path) -> None:
    comparison = judged(limit.program, tmp_path)
    assert comparison is not None
    abouts = partial(differing, folder=tmp_path)
    assert any(limit.explains(difference, limit.program, abouts) for difference in comparison.disagreements)


def test_a_seed_always_gives_the_same_program() -> None:
    assert draw("same").text == draw("same").text
    assert draw("same").text != draw("other").text


def test_a_program_is_made_as_small_as_it_can_be() -> None:
    text = (
        "import torch\n\nfor i in range(3):\n    if i:\n        x = torch.rand(3) + i\n        y = x.exp()\n    z = i\n"
    )
    assert shrink(text, lambda candidate: ".exp()" in candidate) == "y = x.exp()\n"


# -- the comparison can fail ----------------------------------------------------------------------

STALE = """
import torch

x = torch.rand(3, requires_grad=True)
y = torch.exp(x)
y.add_(1)
y.sum().backward()
"""

FINE = """
import torch

x = torch.rand(3, requires_grad=True)
y = torch.exp(x)
z = y * 2
z.add_(1)
"""


def differences(text: str, folder: Path) -> set[str]:
    comparison = judged(text, folder)
    assert comparison is not None
    return {difference.about for difference in comparison.disagreements}


def test_a_save_that_the_table_lacks_is_noticed(tmp_path: Path) -> None:
    assert not differences(STALE, tmp_path)
    with altered("torch.exp", lambda case: case.pop("saves")):
        assert differences(STALE, tmp_path) == {"missed stale-saved"}


def test_a_save_that_the_table_makes_up_is_noticed(tmp_path: Path) -> None:
    def saves(case: dict[str, Any]) -> None:
        case["saves"] = [{"what": "out", "when": [["self"]]}]

    program = STALE.replace("torch.exp(x)", "x.neg()")
    assert not differences(program, tmp_path)
    with altered("torch.Tensor.neg", saves):
        assert differences(program, tmp_path) == {"false stale-saved"}


def test_a_change_that_the_table_lacks_is_noticed(tmp_path: Path) -> None:
    def unchanged(case: dict[str, Any]) -> None:
        case["mutates"] = [{"what": "self", "bumps": 0}]

    assert not differences(FINE, tmp_path)
    with altered("torch.Tensor.add_", unchanged):
        assert differences(FINE, tmp_path) == {"version"}
