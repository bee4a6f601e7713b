"""What real PyTorch says of mended programs: they run, and safe fixes keep every loss and gradient."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .folder import Folder, told
from .real import run, same_gradients, same_losses

if TYPE_CHECKING:
    from gradguard.fixes import Fix

PROGRAMS = sorted(path.parent for path in (Path(__file__).parents[1] / "programs").glob("*/*/buggy"))
ROUNDS = 6

NOT_MENDED = {
    "data/dataclass_batch_replaced": "an attribute of a frozen dataclass can't be rebound",
    "whole/bootstrapped_board_values": "the carried value is all that the loss depends on",
}
"""Programs that no offered fix mends, and why."""


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def written(folder: Path, program: Folder, fix: Fix) -> Path:
    """Copy a program to `folder`, with a fix applied."""
    shutil.copytree(program.root, folder)
    for file, text in program.mended(fix).items():
        ast.parse(text)
        (folder / Path(file).relative_to(program.root)).write_text(text, "utf-8", newline="")
    return folder


@pytest.mark.parametrize("path", PROGRAMS, ids=name)
def test_fixes_mend_and_safe_ones_keep_every_value(path: Path, tmp_path: Path) -> None:
    program = Folder(path / "buggy")
    report = program.replay()
    found = [(failure, program.fixes(failure, report)) for failure in told(report)]
    if not any(fixes for _, fixes in found):
        pytest.skip("nothing is found or offered")
    meant = run(program.root, meant=True)
    silent = any(failure.kind == "silent-stale" for failure, _ in found)
    alone = len(found) == 1  # a fix of one of two silent failures leaves the other one's gradients wrong
    for number, fix in enumerate(fix for _, fixes in found for fix in fixes if fix.safety == "safe"):
        after = run(written(tmp_path / str(number), program, fix))
        if after.error is None and meant.error is None and (alone or not silent):
            assert same_losses(meant, after), fix.title
            assert same_gradients(meant, after), fix.title
    after = run(preferred(program, tmp_path))
    assert after.error is None or name(path) in NOT_MENDED


def preferred(program: Folder, tmp_path: Path) -> Path:
    """Apply the preferred fixes of a program one after the other; gives its last folder."""
    for number in range(ROUNDS):
        report = program.replay()
        fixes = [fix for failure in told(report) for fix in program.fixes(failure, report) if fix.preferred]
        if not fixes:
            return program.root
        program = Folder(written(tmp_path / f"round{number}", program, fixes[0]))
    raise AssertionError("mending does not come to an end")
