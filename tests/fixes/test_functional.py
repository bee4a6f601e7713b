"""Functional forms of assignments to items, by the shapes and dtypes that the replay knows, tried on PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .folder import Folder, told
from .proof import proven

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch

torch.manual_seed(0)
w = torch.rand(4, 3, requires_grad=True)
y = torch.rand(4, 3, requires_grad=True)
i, j = torch.tensor([0, 2]), torch.tensor([1, 1])
mask, rows, cols, first, scalar = w > 0.5, w[:, 0] > 0.5, w[0] > 0.5, y[:2] * 2, y.mean()
x = w.exp()
{}
x.sum().backward()
"""

FORMS = {
    "x[mask] = 0.5": "x = x.masked_fill(mask, 0.5)",
    "x[x > 1.5] = 1.5": "x = x.masked_fill(x > 1.5, 1.5)",
    "x[~mask] = -1": "x = x.masked_fill(~mask, -1)",
    "x[y > 0.5] = 0.5": "x = x.masked_fill(y > 0.5, 0.5)",
    "x[mask & (y > 0.5)] = 0.5": "x = x.masked_fill(mask & (y > 0.5), 0.5)",
    "x[..., cols] = 0.5": "x = x.masked_fill(cols, 0.5)",
    'x[mask] = float("-inf")': 'x = x.masked_fill(mask, float("-inf"))',
    "x[mask] = y[mask]": "x = torch.where(mask, y, x)",
    "x[mask] = scalar": "x = torch.where(mask, scalar, x)",
    "x[mask] *= 2": "x = torch.where(mask, x * 2, x)",
    "x[i] = 0.5": "x = x.index_fill(0, i, 0.5)",
    "x[i] = first": "x = x.index_put((i,), first)",
    "x[i] += first": "x = x.index_put((i,), x[i] + first)",
    "x[i, j] = scalar": "x = x.index_put((i, j), scalar)",
    "x[:2] = first": "x = torch.cat([first, x[2:]])",
    "x[2:] = first": "x = torch.cat([x[:2], first])",
    "x[-2:] = first": "x = torch.cat([x[:-2], first])",
}

NONE = {
    "x[rows] = 0.5": "the mask has one value a row, which `masked_fill` would spread over columns",
    "x[rows > 0] = 0.5": "so has what it is made of",
    "x[..., i] = 0.5": "these are numbers of columns",
    "x[mask] /= 2": "where it is not divided, 0 / 0 would give a gradient that isn't a number",
    "x[mask] = y[~mask]": "another mask chooses other values",
    "x[:3] = scalar": "one value for several rows",
    "x[1:3] = first": "rows before and behind stay",
    "x[i] = 1 + first": "its dtype isn't known",
}
"""Assignments that have no functional form of these, and why."""


def new_lines(program: Folder) -> set[str]:
    report = program.replay()
    (failure,) = told(report)
    texts = [text for fix in program.fixes(failure, report) for text in program.mended(fix).values()]
    return {line for text in texts for line in text.splitlines() if line not in program.main.text.splitlines()}


def written(change: str, folder: Path) -> Folder:
    (folder / "program").mkdir()
    (folder / "program" / "main.py").write_text(PROGRAM.format(change), "utf-8")
    return Folder(folder / "program")


@pytest.mark.parametrize("change", FORMS)
def test_an_assignment_has_its_form(change: str, tmp_path: Path) -> None:
    program = written(change, tmp_path)
    assert FORMS[change] in new_lines(program)
    assert not list(proven(program, tmp_path / "each"))


@pytest.mark.parametrize("change", NONE)
def test_what_would_mean_something_else_is_not_offered(change: str, tmp_path: Path) -> None:
    program = written(change, tmp_path)
    lines = new_lines(program)
    assert "x = x.clone()" in lines
    assert not any(form in line for line in lines for form in ("masked_fill", "where", "index_", "cat("))


TWICE = """\
def cut(x, mask):
    x = x.exp()
    x[mask] = 0
    return x.sum()


w = torch.rand(3, 4, requires_grad=True)
cut(w, torch.rand(3) > 0.5).backward()
cut(w, torch.rand(3, 4) > 0.5).backward()
"""


def test_a_function_that_is_called_twice_may_get_masks_of_several_shapes(tmp_path: Path) -> None:
    program = Folder(tmp_path / "program")
    program.root.mkdir()
    (program.root / "main.py").write_text(f"import torch\n\n{TWICE}", "utf-8")
    lines = new_lines(program)
    assert "    x = x.clone()" in lines
    assert not any("masked_fill" in line for line in lines)


def test_parts_in_a_tuple_are_cloned_each(tmp_path: Path) -> None:
    program = written("parts = (x * 2).split(2)\nparts[0].add_(1)\nx = parts[0] * parts[1]", tmp_path)
    assert "parts = tuple(part.clone() for part in (x * 2).split(2))" in new_lines(program)
    assert not any(line.startswith("parts[0] =") for line in new_lines(program))
    assert not list(proven(program, tmp_path / "each"))
