"""What real PyTorch says of mended programs: they run, and safe fixes keep every loss and gradient."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from .folder import Folder, told
from .real import run, same

PROGRAMS = sorted(path.parent for path in (Path(__file__).parents[1] / "programs").glob("*/*/buggy"))
ROUNDS = 6

NOT_MENDED: dict[str, str] = {}
"""Programs that no offered fix mends, and why."""


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def copied(path: Path, folder: Path) -> Path:
    shutil.copytree(path / "buggy", folder)
    return folder


@pytest.mark.parametrize("path", PROGRAMS, ids=name)
def test_the_preferred_fixes_mend(path: Path, tmp_path: Path) -> None:
    folder = copied(path, tmp_path / "program")
    for _ in range(ROUNDS):
        program = Folder(folder)
        report = program.replay()
        fixes = [fix for failure in told(report) for fix in program.fixes(failure, report) if fix.preferred]
        if not fixes:
            break
        for file, text in program.mended(fixes[0]).items():
            Path(file).write_text(text, "utf-8", newline="")
    else:
        pytest.fail("mending does not come to an end")
    if (folder / "main.py").read_text("utf-8") == (path / "buggy" / "main.py").read_text("utf-8"):
        pytest.skip("nothing was found, or nothing is offered")
    after = run(folder)
    assert after.error is None or name(path) in NOT_MENDED


@pytest.mark.parametrize("path", PROGRAMS, ids=name)
def test_safe_fixes_keep_losses_and_gradients(path: Path, tmp_path: Path) -> None:
    program = Folder(path / "buggy")
    report = program.replay()
    safe = [fix for failure in told(report) for fix in program.fixes(failure, report) if fix.safety == "safe"]
    meant = run(path / "buggy", allow_mutation=True)
    if not safe or meant.error is not None:
        pytest.skip("no safe fix is offered, or the program can't show what was meant")
    for index, fix in enumerate(safe):
        folder = copied(path, tmp_path / str(index))
        for file, text in program.mended(fix).items():
            (folder / Path(file).relative_to(path / "buggy")).write_text(text, "utf-8", newline="")
        for file in folder.rglob("*.py"):
            ast.parse(file.read_text("utf-8"))
        after = run(folder)
        if after.error is None:
            assert same(meant, after), fix.title
