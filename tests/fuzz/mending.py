"""Mends drawn programs that fail, and holds each fix against PyTorch."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from gradguard.runtime.kinds import kind_of

from ..fixes.folder import Folder
from ..fixes.proof import mended, proven
from ..oracle.judge import judge

if TYPE_CHECKING:
    from pathlib import Path

End = Literal["runs", "no fix", "fails", "fails of its own"]
"""How a program ends when all is mended that can be: `fails` as autograd does, or for a reason that has nothing to do
with it. What stands behind the failure was drawn without being tried."""

OF_ITS_OWN = re.compile(r"it fails: (?!NameError|UnboundLocalError|AttributeError|SyntaxError)")
"""A fix that lets the program reach what cannot work is none the worse for it; one that loses a name is."""


@dataclass(frozen=True, slots=True)
class Mending:
    """What became of one program, how many fixes there were, and what is wrong with them."""

    end: End
    safe: int
    unsafe: int
    problems: tuple[str, ...]


@dataclass(slots=True)
class Figures:
    """What became of all that were mended."""

    ends: Counter[End] = field(default_factory=Counter)
    safe: int = 0
    unsafe: int = 0
    problems: list[str] = field(default_factory=list)

    def add(self, seed: str, mending: Mending) -> list[str]:
        """Count a program; return what is wrong with its fixes."""
        self.ends[mending.end] += 1
        self.safe += mending.safe
        self.unsafe += mending.unsafe
        found = [f"-- {seed}: {problem}" for problem in mending.problems]
        self.problems += found
        return found

    @property
    def share(self) -> tuple[int, int]:
        """How many were mended, of how many: those that fail of their own have nothing to tell."""
        return self.ends["runs"], self.ends.total() - self.ends["fails of its own"]


def mend(text: str, folder: Path) -> Mending:
    """Try every fix of a program, and mend it."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "program").mkdir(parents=True)
    (folder / "program" / "main.py").write_text(text)
    program = Folder(folder / "program")
    report = program.replay()
    fixes = program.offered(report)
    problems = tuple(problem for problem in proven(Folder(program.root), folder / "each") if not _is_apart(problem))
    last, count = mended(Folder(program.root), folder / "all")
    verdict = judge(last / "main.py")
    end: End = "runs" if verdict["ok"] else "no fix" if count == 0 else "fails"
    if end == "fails" and verdict["kind"] == "other":
        end = "fails of its own"
    safe = sum(fix.safety == "safe" for fix in fixes)
    return Mending(end, safe, len(fixes) - safe, problems)


def _is_apart(problem: str) -> bool:
    """Tell whether a problem is that of the program behind the failure."""
    return bool(OF_ITS_OWN.search(problem)) and kind_of(problem) is None
