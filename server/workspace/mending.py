"""Applying fixes: the best of each finding, as long as they do not touch the same text, until none is left."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from ..fixes.edit import Edit, Fix, apply
from .notebook import read_notebook
from .problems import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from ..rules.rule import Severity
    from .files import Document
    from .project import CheckResult, Finding, Project

ROUNDS = 10
"""how many rounds of fixes: one fix can make another possible; what is left after the last round stays"""


class Change(NamedTuple):
    """The files that a fix or a silencing comment changes, and the finding's file and rule."""

    files: frozenset[str]
    path: str
    code: str


@dataclass(slots=True)
class Mended:
    """The result of mending a project: changed files before and after, and the check of what remains."""

    result: CheckResult
    before: dict[str, Document] = field(default_factory=dict)
    after: dict[str, Document] = field(default_factory=dict)
    changed: list[Change] = field(default_factory=list)
    left: set[str] = field(default_factory=set)
    """the files that were not written, so that their findings remain"""

    @property
    def applied(self) -> int:
        """How many fixes were applied."""
        return len(self.changed)

    def apply(self, project: Project, fixes: Iterable[tuple[Finding, Sequence[Edit]]]) -> None:
        """Edit the texts that the last check has read; the project shows the new ones."""
        edits: dict[str, list[Edit]] = {}
        for finding, fix in fixes:
            self.changed.append(Change(frozenset(edit.path for edit in fix), finding.path, finding.rule.code))
            for edit in fix:
                edits.setdefault(edit.path, []).append(edit)
        for path, some in edits.items():
            document = self.result.documents[path]
            self.before.setdefault(path, document)
            self.after[path] = edited(document, some)
            project.overlay(self.after[path])

    def take_back(self, project: Project, paths: Sequence[str], least: Severity | None = None) -> None:
        """Check `paths` again, with the old text of the files that were not written."""
        for path in self.left:
            project.overlay(self.before[path])
        self.result = project.check(paths, least)


def mend_project(project: Project, paths: Sequence[str], unsafe: bool, least: Severity | None = None) -> Mended:
    """Check the files and apply fixes to the project's texts; nothing is written to the disk.

    `unsafe` allows fixes that change what the program means. Files other than `paths` stay as they are.
    Afterwards the project shows the new texts.
    """
    _hold(project, paths)
    mended = Mended(project.check(paths, least))
    for _ in range(ROUNDS):
        chosen = _compatible(_best(project, mended.result, unsafe, frozenset(paths)))
        if not chosen:
            break
        mended.apply(project, [(finding, fix.edits) for finding, fix in chosen])
        mended.result = project.check(paths, least)
    return mended


def silence_project(project: Project, paths: Sequence[str], least: Severity | None = None) -> Mended:
    """Check the files and add comments that silence what is found in them; nothing is written to the disk.

    Afterwards the project shows the new texts.
    """
    from ..fixes import ignore_edit

    _hold(project, paths)
    mended = Mended(project.check(paths, least, traced=False))
    for _ in range(ROUNDS):
        edits: list[tuple[Finding, list[Edit]]] = []
        for finding in mended.result.active:
            if finding.path in paths and finding.diagnostic.failure is not None:
                source = {finding.path: project.source(finding.path)}
                edit = ignore_edit(finding.diagnostic.site, finding.rule.code, source)
                if edit is not None and not any(_touch(edit, other) for _, (other,) in edits):
                    edits.append((finding, [edit]))
        if not edits:
            break
        mended.apply(project, edits)
        mended.result = project.check(paths, least, traced=False)
    return mended


def _hold(project: Project, paths: Iterable[str]) -> None:
    """Fix the texts of these files: all edits apply to one text, even if somebody saves another one meanwhile."""
    for path in paths:
        with suppress(Unreadable):
            project.overlay(project.document(path))


def edited(document: Document, edits: Iterable[Edit]) -> Document:
    """The document with the edits made to its text; in a notebook, to its cells.

    Raises ValueError if an edit crosses the end of a cell.
    """
    if document.notebook is None:
        return replace(document, text=apply(document.text, edits))
    notebook, edits = document.notebook, list(edits)
    cells = []
    for start, source in zip(notebook.starts, notebook.sources, strict=True):
        moved = [replace(edit, start=edit.start - start, end=edit.end - start) for edit in edits]
        cells.append(apply(source, [edit for edit in moved if 0 <= edit.start < len(source)]))
    changed = read_notebook(notebook.saved(cells))
    return replace(document, text=changed.text, notebook=changed)


def written(document: Document) -> bytes:
    """The bytes of the document's file."""
    text = document.text if document.notebook is None else document.notebook.written
    return text.encode(document.encoding)


def _best(project: Project, result: CheckResult, unsafe: bool, paths: Set[str]) -> list[tuple[Finding, Fix]]:
    """The fix to apply for each finding that has one within `paths`."""

    def wanted(fix: Fix) -> bool:
        return (unsafe or fix.safety == "safe") and all(edit.path in paths for edit in fix.edits)

    return [(one, fix) for one in result.active for fix in project.fixes(one, wanted=wanted, most=1)]


def _compatible(fixes: Iterable[tuple[Finding, Fix]]) -> list[tuple[Finding, Fix]]:
    """The fixes without those that touch the text of an earlier one, or repeat it."""
    taken: list[Edit] = []
    kept = []
    for finding, fix in fixes:
        if not any(_touch(edit, other) for edit in fix.edits for other in taken):
            kept.append((finding, fix))
            taken += fix.edits
    return kept


def _touch(edit: Edit, other: Edit) -> bool:
    return edit.path == other.path and edit.start <= other.end and other.start <= edit.end
