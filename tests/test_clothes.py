"""A failure stays one, and what is harmless stays so, whatever clothes a program wears."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

from .clothes import CLOTHES, dressed
from .oracle.client import run_program
from .test_programs import HARMLESS, MISSED, PROGRAMS, alarms, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = Path(__file__).parent / "programs"


def turns(forms: Sequence[Path], step: int) -> Iterator[object]:
    """About every so many-th program, in the clothes that its name draws: those of others never change."""
    for path in forms:
        name = path.relative_to(HERE).as_posix()
        draw = crc32(name.encode())
        if draw % step == 0:
            worn = list(CLOTHES)[draw // step % len(CLOTHES)]
            yield pytest.param(path, worn, id=f"{name} {worn}")


def copied(path: Path, worn: str, into: Path) -> Path:
    """A program in some clothes; the test is skipped where they don't fit."""
    text = dressed((path / "main.py").read_text(), CLOTHES[worn])
    if text is None:
        pytest.skip("does not fit")
    folder = into / "program"
    shutil.copytree(path, folder)
    (folder / "main.py").write_text(text)
    return folder


@pytest.mark.parametrize(("path", "worn"), list(turns([path / "buggy" for path in PROGRAMS], 1)))
def test_a_failure_is_found(path: Path, worn: str, tmp_path: Path) -> None:
    if path.parent.relative_to(HERE).as_posix() in MISSED:
        pytest.skip("missed as it is")
    folder = copied(path, worn, tmp_path)
    assert kind_of(path.parent) in {finding.kind for finding in alarms(folder, folder.rglob("*.py"))}


@pytest.mark.parametrize(("path", "worn"), list(turns(HARMLESS, 3)))
def test_there_is_no_alarm(path: Path, worn: str, tmp_path: Path) -> None:
    folder = copied(path, worn, tmp_path)
    assert not alarms(folder, folder.rglob("*.py"))


@pytest.mark.parametrize("worn", CLOTHES)
def test_pytorch_does_the_same(worn: str, tmp_path: Path) -> None:
    fitting = (path for path in PROGRAMS[::7] if dressed((path / "buggy" / "main.py").read_text(), CLOTHES[worn]))
    path = next(fitting) / "buggy"
    assert run_program(copied(path, worn, tmp_path)).kind == run_program(path).kind
