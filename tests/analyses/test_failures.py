"""All failures of a program, against PyTorch: each is told, and what comes of it is not told again."""

from __future__ import annotations

import ast
import re
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gradguard.analyses import replay
from gradguard.syntax.chunks import parse

from .documents import Block, cases
from .replaying import Alone

if TYPE_CHECKING:
    from types import CodeType

BLOCKS = cases(Path(__file__).parent / "failures")
MARK = re.compile(r"# (raises|follows)$", re.MULTILINE)


def marked(text: str, *words: str) -> set[int]:
    """The lines that are marked with one of some words."""
    return {text.count("\n", 0, match.start()) + 1 for match in MARK.finditer(text) if match[1] in words}


def refused(text: str) -> set[int]:
    """The lines of a program at which PyTorch raises, where each statement goes on as if the others had not."""
    names: dict[str, object] = {"__name__": "__main__"}
    lines = [refused_at(compile(ast.Module([one], []), "main.py", "exec"), names) for one in ast.parse(text).body]
    return {line for line in lines if line is not None}


def refused_at(code: CodeType, names: dict[str, object]) -> int | None:
    """The line at which PyTorch raises in a piece of the program, if it does."""
    try:
        exec(code, names)
    except RuntimeError as error:
        frames = traceback.extract_tb(error.__traceback__)
        return [frame.lineno for frame in frames if frame.filename == "main.py"][-1]
    return None


@pytest.mark.parametrize("block", BLOCKS)
def test_pytorch_refuses_what_is_marked(block: Block) -> None:
    assert refused(block.text) == marked(block.text, "raises", "follows")


@pytest.mark.parametrize("block", BLOCKS)
def test_each_failure_is_told_once(block: Block) -> None:
    report = replay([parse(block.text, "main.py")], Alone())
    assert not report.problems
    assert all(not failure.assumptions for failure in report.failures)
    raised = [f.raised.chunk.line_of(f.raised.node) + 1 for f in report.failures if f.raised is not None]
    assert set(raised) == marked(block.text, "raises")
