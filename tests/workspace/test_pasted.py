"""What a user pastes into `gradguard explain` leads to the line at fault, in projects of several files.

Each page in `pasted` is a project; the line at fault has the comment `# cause`. All lie together in one folder, so that
there are many suspects. What Python prints when a `main.py` runs on PyTorch, or its last lines alone, is all that the
search is given.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from gradguard.rules.pytorch_error import read
from gradguard.rules.rule import Severity
from gradguard.workspace.project import CheckResult, Project
from gradguard.workspace.suspects import Suspect, suspects

from website.blocks import blocks

from ..oracle.client import printed_error

PAGES = sorted((Path(__file__).parent / "pasted").glob("*.md"))


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> CheckResult:
    """All the projects, checked as one."""
    folder = tmp_path_factory.mktemp("together")
    for page in PAGES:
        (folder / page.stem).mkdir()
        for block in blocks(page.read_text(encoding="utf-8")):
            (folder / page.stem / block.title).write_text(block.text, encoding="utf-8")
    return Project(folder).check([str(path) for path in sorted(folder.rglob("*.py"))], Severity.HINT)


def project(page: Path, together: CheckResult) -> Path:
    """The folder of a page's project."""
    return next(Path(path).parent for path in together.documents if Path(path).parent.name == page.stem)


def is_the_cause(suspect: Suspect, folder: Path) -> bool:
    finding = suspect.finding
    lines = Path(finding.path).read_text(encoding="utf-8").splitlines()
    marked = "# cause" in " ".join(lines[finding.span.start_line : finding.span.end_line + 1])
    return marked and Path(finding.path).is_relative_to(folder)


@pytest.mark.parametrize("anomaly", [True, False], ids=["anomaly", "plain"])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_first_suspect_is_the_cause(page: Path, anomaly: bool, together: CheckResult) -> None:
    folder = project(page, together)
    error = read(printed_error(folder, anomaly))
    assert error is not None
    assert is_the_cause(suspects(error, together.findings, together.documents)[0], folder)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_without_the_traceback_no_other_is_likelier(page: Path, together: CheckResult) -> None:
    """The message alone does not always tell the suspects apart."""
    folder = project(page, together)
    printed = printed_error(folder, anomaly=False)
    error = read(printed[printed.index("RuntimeError: ") :])
    assert error is not None
    found = suspects(error, together.findings, together.documents)
    assert any(is_the_cause(suspect, folder) for suspect in found if suspect.weight == found[0].weight)
