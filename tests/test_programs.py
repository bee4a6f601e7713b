"""Whole programs: what PyTorch does with them, and what GradGuard says of them.

A program is a folder `programs/MECHANISM/NAME` with three forms: `buggy` fails, or gets its gradients
silently wrong; `fixed` is the same, mended; `benign` looks risky and is fine (those in `clean` have this
form alone). `truth.toml` names the kind of the failure and tells the story. Comments in the buggy form
mark its lines: `# saved` where an operation saved the tensor, `# changed` where it was changed since,
`# raises` where PyTorch raises at once. PyTorch itself is asked whether that is so, and GradGuard is held
against what PyTorch says.

The examples are held in the same way; the one that fails names its rule in its first line.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gradguard.rules import RULES
from gradguard.rules.rule import Severity
from gradguard.workspace.project import Project

from .index import PAGE, page
from .oracle.answers import Verdict
from .oracle.client import run_program

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gradguard.workspace.project import Finding, Place

HERE = Path(__file__).parent
PROGRAMS = sorted(path.parent for path in (HERE / "programs").glob("*/*/buggy"))
HARMLESS = sorted((HERE / "programs").glob("*/*/fixed")) + sorted((HERE / "programs").glob("*/*/benign"))
EXAMPLES = sorted(path for path in (HERE.parent / "examples").glob("[0-9]*.py") if not path.stem.endswith("_mended"))
TWO_PLACES = {"stale-saved", "silent-stale"}
"""the kinds that are told by two lines: where the tensor was saved and where it was changed"""

MISSED = {
    "loops/retry_after_exception": "that an exception is raised, which a handler takes, is a guess: a hint",
}
"""programs whose failure GradGuard doesn't find, or not at the right lines, and why"""

FALSE: dict[str, str] = {}
"""harmless forms that GradGuard raises an alarm on, and why"""


def cases(paths: Iterable[Path], known: dict[str, str]) -> list[object]:
    """Folders as test cases by their names, those in `known` expected to fail."""
    names = {path.relative_to(HERE / "programs").as_posix(): path for path in paths}
    assert known.keys() <= names.keys()
    return [
        pytest.param(path, id=name, marks=[pytest.mark.xfail(reason=known[name], strict=True)] if name in known else [])
        for name, path in names.items()
    ]


def kind_of(program: Path) -> str:
    """The kind of the failure that a program's buggy form has."""
    kind: str = tomllib.loads((program / "truth.toml").read_text())["kind"]
    return kind


def test_the_index_is_current() -> None:
    assert PAGE.read_text() == page(), "python -m tests.index"


# -- PyTorch --------------------------------------------------------------------------------------

verdict = cache(run_program)


@dataclass(frozen=True, slots=True)
class Marks:
    """The lines of a program that its comments mark, as `FILE:LINE`."""

    saved: frozenset[str]
    changed: frozenset[str]
    """`# changed` and `# raises`: a program has the one or the other"""


def marks(folder: Path, files: Iterable[Path]) -> Marks:
    found: dict[str, set[str]] = {"saved": set(), "changed": set(), "raises": set()}
    for file in files:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if comment := re.search(r"# ((?:saved|changed|raises)(?:, changed)?)$", line):
                for word in comment[1].split(", "):
                    found[word].add(f"{file.relative_to(folder).as_posix()}:{number}")
    return Marks(frozenset(found["saved"]), frozenset(found["changed"] | found["raises"]))


def assert_marked(got: Verdict, marked: Marks) -> None:
    assert set(got.saved) == marked.saved
    assert set(got.mutation) == marked.changed


@pytest.mark.parametrize("path", cases(PROGRAMS, {}))
def test_pytorch_fails_as_marked(path: Path) -> None:
    got = verdict(path / "buggy")
    assert got.kind == kind_of(path), got.message
    assert_marked(got, marks(path / "buggy", (path / "buggy").rglob("*.py")))


@pytest.mark.parametrize("path", cases(HARMLESS, {}))
def test_pytorch_runs_the_harmless_forms(path: Path) -> None:
    assert verdict(path) == Verdict(ok=True)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_pytorch_agrees_with_the_examples(path: Path) -> None:
    code = path.read_text()[3:8]
    assert verdict(path).kind in RULES[code].kinds
    assert_marked(verdict(path), marks(path.parent, [path]))
    assert verdict(mended(path)) == Verdict(ok=True)


def mended(example: Path) -> Path:
    return example.with_stem(f"{example.stem}_mended")


# -- GradGuard ------------------------------------------------------------------------------------


def alarms(folder: Path, files: Iterable[Path]) -> list[Finding]:
    """What GradGuard warns of, errors included."""
    pytest.importorskip("gradguard.analyses", reason="there is no replay yet", exc_type=ImportError)
    result = Project(folder).check([str(file) for file in sorted(files)], Severity.WARNING)
    assert not result.problems
    return result.active


def lines(folder: Path, places: Iterable[Finding | Place]) -> set[str]:
    return {
        f"{Path(place.path).relative_to(folder).as_posix()}:{line + 1}"
        for place in places
        for line in range(place.span.start_line, place.span.end_line + 1)
    }


def is_exact(finding: Finding, folder: Path, truth: Verdict) -> bool:
    """Whether a finding predicts what PyTorch does, at the lines where it does it.

    A write that no version counter sees is not among the truth's lines either.
    """
    named = lines(folder, [finding, *finding.related])
    if finding.kind != truth.kind:
        return False
    if truth.kind in TWO_PLACES:
        return bool(named & set(truth.saved)) and bool(named & set(truth.mutation) or not truth.mutation)
    return bool((named if truth.kind == "freed-graph" else lines(folder, [finding])) & set(truth.mutation))


def assert_found(folder: Path, files: Iterable[Path], truth: Verdict) -> None:
    """One alarm is exact, and none is about lines that have no part in the failure."""
    found = alarms(folder, files)
    told = [f"{finding.rule.code} {sorted(lines(folder, [finding]))} {finding.message}" for finding in found]
    assert any(is_exact(finding, folder, truth) for finding in found), told
    involved = {*truth.saved, *truth.mutation, *truth.stack}
    strays = [finding for finding in found if not involved & lines(folder, [finding, *finding.related])]
    assert not strays, told


@pytest.mark.parametrize("path", cases(PROGRAMS, MISSED))
def test_gradguard_finds_the_failure(path: Path) -> None:
    assert_found(path / "buggy", (path / "buggy").rglob("*.py"), verdict(path / "buggy"))


@pytest.mark.parametrize("path", cases(HARMLESS, FALSE))
def test_gradguard_is_silent_on_the_harmless_forms(path: Path) -> None:
    assert not [f"{finding.rule.code} {finding.message}" for finding in alarms(path, path.rglob("*.py"))]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_gradguard_agrees_with_the_examples(path: Path) -> None:
    assert_found(path.parent, [path], verdict(path))
    assert path.read_text()[3:8] in {finding.rule.code for finding in alarms(path.parent, [path])}
    assert not alarms(path.parent, [mended(path)])
