"""A pasted error leads to its cause: what PyTorch prints for a program is held against GradGuard's suspects.

All failing programs are laid together as one project, so that there are many suspects to tell apart.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest
import torch
from gradguard.rules.pytorch_error import DTYPES, StaleTensor, read
from gradguard.rules.rule import Severity
from gradguard.workspace.project import CheckResult, Project
from gradguard.workspace.suspects import Suspect, suspects

from ..oracle.client import printed_error, run_program

PROGRAMS = sorted((Path(__file__).parent.parent / "programs").glob("*/*/buggy"))
TOLD = [path for path in PROGRAMS if crc32(path.parent.name.encode()) % 8 == 0]
"""some of all mechanisms, chosen by their names; to run them all takes minutes"""

SILENT = {"silent-stale", "nonleaf-grad"}
"""kinds of failure that PyTorch doesn't announce with an error"""


@pytest.fixture(scope="module")
def together() -> CheckResult:
    """All these programs, checked as one project."""
    root = PROGRAMS[0].parents[2]
    return Project(root).check([str(path) for folder in TOLD for path in sorted(folder.rglob("*.py"))], Severity.HINT)


def found(text: str, result: CheckResult) -> list[Suspect]:
    error = read(text)
    assert error is not None
    return suspects(error, result.findings, result.documents)


def lines(suspect: Suspect, folder: Path) -> set[str]:
    path = Path(suspect.finding.path)
    if not path.is_relative_to(folder):
        return set()
    span = suspect.finding.span
    return {f"{path.relative_to(folder).as_posix()}:{line + 1}" for line in range(span.start_line, span.end_line + 1)}


@pytest.mark.parametrize(
    ("folder", "anomaly"),
    [(folder, crc32(folder.parent.name.encode()) % 16 == 0) for folder in TOLD],
    ids=lambda v: v.parent.name if isinstance(v, Path) else str(v),
)
def test_the_first_suspect_is_the_culprit(folder: Path, anomaly: bool, together: CheckResult) -> None:
    verdict = run_program(folder)
    if verdict.kind in SILENT:
        pytest.skip("PyTorch says nothing")
    first = found(printed_error(folder, anomaly), together)[0]
    assert lines(first, folder) & set(verdict.mutation)


def test_another_checkout_with_other_lines(tmp_path: Path) -> None:
    """The traceback comes from another machine, and two lines have been added since."""
    there, here = tmp_path / "there" / "train.py", tmp_path / "here" / "train.py"
    for path, start in ((there, ""), (here, "# one\n# two\n")):
        path.parent.mkdir()
        path.write_text(start + TWO_FAILURES)
    result = Project(here.parent).check([str(here)], Severity.HINT)
    text = printed_error(there)
    first, second = found(text, result)
    assert (first.finding.span.start_line, second.finding.span.start_line) == (13, 7)
    assert {"saved-in-trace", "raised-in-traceback"} <= set(first.clues)
    assert not {"saved-in-trace", "raised-in-traceback"} & set(second.clues)


TWO_FAILURES = """\
import sys
import torch

def early(x):
    y = x.exp()
    y += 1
    y.sum().backward()

def late(x):
    y = x.exp()
    y = y * 1
    y.exp_().mul_(2)
    y.mean().backward()

(early if len(sys.argv) > 1 else late)(torch.rand(3, requires_grad=True))
"""


def test_a_traceback_of_jupyter(tmp_path: Path) -> None:
    """As IPython 9 prints it: cells, files and arrows. Two cells fail alike; the arrow tells which."""
    cells = ["import torch", ONE_OF_TWO, ONE_OF_TWO.replace("y", "z").replace("one", "two")]
    cells.append("(one if input() else two)(torch.rand(3, requires_grad=True))")
    notebook = {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "nbformat": 4, "metadata": {}}
    path = tmp_path / "study.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    result = Project(tmp_path).check([str(path)], Severity.HINT)
    first, second = found(JUPYTER, result)
    assert "`z`" in first.finding.message
    assert "raised-in-traceback" in first.clues
    assert "raised-in-traceback" not in second.clues


ONE_OF_TWO = """\
def one(x):
    y = x.exp()
    y += 1
    y.sum().backward()
"""

JUPYTER = """\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[4], line 1
----> 1 (one if input() else two)(torch.rand(3, requires_grad=True))

Cell In[3], line 4, in two(x)
      2 z = x.exp()
      3 z += 1
----> 4 z.sum().backward()

File /opt/lib/python3.12/site-packages/torch/_tensor.py:623, in Tensor.backward(self, gradient, retain_graph)
    613     return handle_torch_function(
    614         Tensor.backward,
   (...)    621         inputs=inputs,
    622     )
--> 623 torch.autograd.backward(
    624     self, gradient, retain_graph, create_graph, inputs=inputs
    625 )

RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: \
[torch.FloatTensor [3]], which is output 0 of Exp, is at version 1; expected version 0 instead.
"""


def test_the_frames_of_jupyter() -> None:
    error = read(JUPYTER)
    assert error is not None
    assert [(frame.path, frame.line, frame.in_cell) for frame in error.raised] == [
        ("Cell In[4]", 1, True),
        ("Cell In[3]", 4, True),
        ("/opt/lib/python3.12/site-packages/torch/_tensor.py", 623, False),
    ]


def test_what_a_terminal_and_torchrun_add(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(TWO_FAILURES)
    text = printed_error(path)
    decorated = "".join(f"[rank0]: {line}\n" for line in text.splitlines()).replace(
        "RuntimeError", "\x1b[1;35mRuntimeError\x1b[0m"
    )
    assert read(decorated) == read(text)


@pytest.mark.parametrize("dtype", DTYPES.values())
def test_dtypes_have_the_names_that_messages_print(dtype: str) -> None:
    printed = torch.empty(0, dtype=getattr(torch, dtype)).type()
    assert DTYPES[printed.removeprefix("torch.").removesuffix("Tensor")] == dtype


@pytest.mark.parametrize("dtype", sorted(set(DTYPES.values()) - {"complex32"}))  # CPUs compute nothing with that
def test_a_message_about_any_dtype_is_read(dtype: str) -> None:
    factor = torch.ones(2, 3).to(getattr(torch, dtype))
    product = torch.rand(2, 3, requires_grad=True) * factor
    factor.zero_()
    with pytest.raises(RuntimeError) as raised:
        product.sum().abs().backward()
    error = read(str(raised.value))
    assert error is not None
    assert error.tensor == StaleTensor(dtype, "cpu", (2, 3), None, None, 1, 0)


def test_a_message_from_another_device() -> None:
    text = (
        "modified by an inplace operation: [CUDABFloat16Type [4]], which is output 0 of ReluBackward0, is at version 1;"
    )
    error = read(f"one of the variables needed for gradient computation has been {text} expected version 0 instead.")
    assert error is not None
    assert error.tensor == StaleTensor("bfloat16", "cuda", (4,), "ReluBackward0", 0, 1, 0)


def test_the_parts_of_a_message() -> None:
    weight = torch.ones(2, 3, requires_grad=True, dtype=torch.float64)
    exp = weight.exp()
    exp.add_(1).add_(1)
    with pytest.raises(RuntimeError) as raised:
        exp.sum().backward()
    error = read(f"RuntimeError: {raised.value}")
    assert error is not None
    assert error.tensor is not None
    assert replace(error.tensor, node=None) == StaleTensor("float64", "cpu", (2, 3), None, 0, 2, 0)
    assert error.tensor.node is not None
    assert error.tensor.node.startswith("Exp")
    assert error.raised == error.forward == ()


def test_what_the_write_up_pasted() -> None:
    """Releases of PyTorch differ in how they name nodes and devices."""
    text = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.cuda.HalfTensor [1, 1]], which is output 0 of AsStridedBackward0, is at version 3; expected version 2"
    )
    error = read(text)
    assert error is not None
    assert error.tensor == StaleTensor("float16", "cuda", (1, 1), "AsStridedBackward0", 0, 3, 2)


def test_other_errors_are_not_ours() -> None:
    assert read("ValueError: optimizer got an empty parameter list") is None
