"""Tries each fix of many programs by itself on real PyTorch: `python -m tests.fixes [FOLDER …]`.

The programs are those of the tests, the examples, those of the rules, and in the folders given every folder with a
`main.py`. It fails if a fix does what it should not.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from gradguard.rules import RULES

from .folder import Folder
from .proof import changed_by, each

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parents[1]
JOBS = 2


@dataclass(frozen=True, slots=True)
class Program:
    """A program by its name: a folder, a file, or text."""

    name: str
    path: Path | None = None
    text: str = ""

    def written(self, folder: Path) -> Path:
        """Copy it to a folder, which is returned."""
        if self.path is not None and self.path.is_dir():
            shutil.copytree(self.path, folder, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True)
            (folder / "main.py").write_text(self.path.read_text("utf-8") if self.path else self.text, "utf-8")
        return folder


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found of a program: how many failures are told, and how many of them have no fix."""

    failures: int
    unmended: int
    titles: tuple[str, ...]
    safe: int
    problems: tuple[str, ...]


def programs(folders: list[Path]) -> Iterator[Program]:
    """Give the project's own programs, and those in folders."""
    for path in sorted((TESTS.parent / "examples").glob("[0-9]*.py")):
        yield Program(f"examples/{path.stem}", path)
    for rule in RULES.values():
        yield Program(f"rules/{rule.code}", text=rule.fails)
    for folder in [TESTS / "programs", *folders]:
        for main in sorted(folder.resolve().rglob("main.py")):
            yield Program(f"{folder.name}/{main.parent.relative_to(folder.resolve())}", main.parent)


def answer(program: Program) -> Answer:
    """Try every fix of a program."""
    with tempfile.TemporaryDirectory() as folder:
        found = each(Folder(program.written(Path(folder) / "program")), Path(folder) / "each")
    fixes = [fix for tried in found for fix in tried.fixes]
    problems = [problem for tried in found for problem in tried.problems]
    unmended = sum(not tried.fixes for tried in found)
    titles = tuple(fix.title for fix in fixes)
    return Answer(len(found), unmended, titles, sum(changed_by(title) is None for title in titles), tuple(problems))


def main() -> int:
    """Try them, print what is wrong, and return 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m tests.fixes", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER", help="folders with more programs")
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose names contain this")
    parser.add_argument("--show", action="store_true", help="print every fix")
    options = parser.parse_args()
    chosen = [one for one in programs(options.folders) if options.only in one.name]
    began, offered, safe, wrong, failing = time.monotonic(), 0, 0, 0, 0
    without: list[str] = []
    with ProcessPoolExecutor(JOBS, get_context("fork")) as pool:
        for done, (program, found) in enumerate(zip(chosen, pool.map(answer, chosen), strict=True), 1):
            offered, safe, wrong = offered + len(found.titles), safe + found.safe, wrong + len(found.problems)
            failing += found.failures > 0
            if found.unmended:
                without.append(program.name)
            for problem in found.problems:
                print(f"-- {program.name}: {problem}", flush=True)
            if options.show:
                print(program.name, *found.titles, sep="\n    ", flush=True)
            print(f"\r{done} of {len(chosen)} programs, {offered} fixes ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for name in without:
        print(f"no fix: {name}")
    print(f"{len(chosen)} programs, {failing} of which are told to fail, {len(without)} with a failure that has no fix")
    print(f"{offered} fixes offered, {safe} of which keep every value; {wrong} wrong; {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0
