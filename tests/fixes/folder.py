"""Programs in folders: their replay, and their fixes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gradguard.analyses.program.session import replay
from gradguard.fixes import Fix, apply_all, mend
from gradguard.fixes.verify import Trials
from gradguard.syntax.chunks import Source, parse
from gradguard.workspace.modules import Layout

from ..installed import FACTS

if TYPE_CHECKING:
    from gradguard.analyses.domain.report import Failure, Report


@dataclass
class Folder:
    """A folder with a main.py; `sources` are the files that the replay has asked for."""

    facts = FACTS

    root: Path
    sources: dict[str, Source] = field(default_factory=dict)
    trials: Trials | None = None

    def source(self, path: Path) -> Source | None:
        key = str(path)
        if key not in self.sources and path.is_file():
            self.sources[key] = parse(path.read_text("utf-8"), key)
        return self.sources.get(key)

    def load(self, name: str, level: int, importer: str) -> Source | None:
        text = self.sources[importer].text if importer in self.sources else ""
        found = Layout(self.root).find(name, level, Path(importer), text)
        return self.source(found) if found else None

    @property
    def main(self) -> Source:
        found = self.source(self.root / "main.py")
        assert found
        return found

    def replay(self) -> Report:
        return replay([self.main], self)

    def fixes(self, failure: Failure, report: Report) -> list[Fix]:
        if self.trials is None or self.trials.report is not report:
            self.trials = Trials(report, self.sources, [self.main], self)
        return mend(failure, self.sources, self.trials)

    def offered(self, report: Report) -> list[Fix]:
        """The fixes of all failures that are told."""
        return [fix for failure in told(report) for fix in self.fixes(failure, report)]

    def with_fix(self, fix: Fix) -> Folder:
        """The program after a fix, which is not written to the disk."""
        after = Folder(self.root)
        after.sources = {path: parse(text, path) for path, text in self.mended(fix).items()}
        return after

    def mended(self, fix: Fix) -> dict[str, str]:
        """The new texts of the files that a fix changes."""
        return apply_all({path: source.text for path, source in self.sources.items()}, fix.edits)


def told(report: Report) -> list[Failure]:
    """The failures that are errors or warnings."""
    return [one for one in report.failures if all(assumption.kind != "guess" for assumption in one.assumptions)]
