"""What GradGuard says of edits: of the file alone, and of the file with the script that trains its model."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from gradguard.analyses.program.session import Session
from gradguard.rules.diagnostic import diagnose
from gradguard.rules.rule import Severity
from gradguard.workspace.files import Document
from gradguard.workspace.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from gradguard.analyses import Report

TOLD = {Severity.ERROR: "alarm", Severity.WARNING: "alarm", Severity.HINT: "hint"}


class Reader:
    """Reads one file, with or without a script, edit by edit, as the server does while somebody types."""

    def __init__(self, root: Path, file: Path, script: Path | None) -> None:
        self.project = Project(root)
        self.session = Session(self.project, traced=False)
        self.file, self.others = str(file), [] if script is None else [str(script)]
        self.text = file.read_text(encoding="utf-8")
        self.before = self.alarms(self.text)

    def told(self, text: str) -> tuple[str, list[str]]:
        """How sure it is that the edited file fails, where it said nothing of the kind before; and what it says."""
        new = self.alarms(text) - self.before
        for sure in ("alarm", "hint"):
            if said := sorted(words for severity, words in new if severity == sure):
                return sure, said
        return "silent", []

    def alarms(self, text: str) -> Counter[tuple[str, str]]:
        """What is wrong with the program, without the lines and versions, which an edit moves."""
        self.project.overlay(Document(self.file, text))
        report = self.replayed()
        found = diagnose(report, "en")
        assert not report.problems, report.problems
        return Counter(
            (TOLD[one.severity], re.sub(r"\b(line|version) \d+", r"\1 …", f"{one.rule.code} {one.words.message}"))
            for one in found
            if one.severity in TOLD
        )

    def replayed(self) -> Report:
        """The program as it is now."""
        return self.session.replay([self.project.source(path) for path in (self.file, *self.others)])
