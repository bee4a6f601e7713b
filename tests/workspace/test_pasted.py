"""What a user pastes into `gradguard explain` leads to the line at fault: projects of several files, run on PyTorch.

Each page in `pasted` is a project; the line at fault has the comment `# cause`. What Python prints when `main.py` runs,
with anomaly mode and without, is all that the search is given beside the project.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from gradguard.rules.pytorch_error import read
from gradguard.rules.rule import Severity
from gradguard.workspace.project import Project
from gradguard.workspace.suspects import suspects

from website.blocks import blocks

from ..oracle import printed_error

PAGES = sorted((Path(__file__).parent / "pasted").glob("*.md"))


@pytest.mark.parametrize("anomaly", [True, False], ids=["anomaly", "plain"])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_first_suspect_is_the_cause(page: Path, anomaly: bool, tmp_path: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        (tmp_path / block.title).write_text(block.text, encoding="utf-8")
    error = read(printed_error(tmp_path, anomaly))
    assert error is not None
    files = sorted(tmp_path.glob("*.py"))
    result = Project(tmp_path).check([str(path) for path in files], Severity.HINT)
    first = suspects(error, result.findings, result.documents)[0].finding
    lines = Path(first.path).read_text(encoding="utf-8").splitlines()
    assert "# cause" in " ".join(lines[first.span.start_line : first.span.end_line + 1])
