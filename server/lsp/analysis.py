"""The analysis of one document, which the server gets from the project around the document."""

from __future__ import annotations

import difflib
import logging
import os
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..analyses.domain.paths import always
from ..analyses.domain.report import Report
from ..analyses.program.session import Session
from ..fixes import ignore_edit, ignore_file_edit
from ..fixes.edit import Edit
from ..rules.rule import Severity
from ..workspace.config import Config, ConfigError, load_config
from ..workspace.files import Document as File
from ..workspace.files import Settings as FileSettings
from ..workspace.mending import mend_project
from ..workspace.project import Project
from ..workspace.record import PLACE
from ..workspace.seen import last_seen
from .memory import Memory, folder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from ..fixes.edit import Fix
    from ..rules.messages import Locale
    from ..syntax.chunks import Source
    from ..workspace.project import CheckResult, Finding
    from ..workspace.pytorch import Release
    from ..workspace.seen import Seen
    from .memory import Recalled
    from .settings import Settings


logger = logging.getLogger(__name__)

SESSIONS = 8
"""how many replayed programs are kept: those that were edited last"""

FIRST, OPENING = 0.2, 1.0
"""seconds after which what an analysis has found so far is told: after an edit, and when a document is opened"""

NEXT = 0.1
"""seconds after which more is told"""

PAUSE = 1.0
"""seconds without an edit after which modules are looked for again"""


@dataclass(eq=False, slots=True)
class Analysis:
    """The analysis of a program: a document, with the open documents that import it or that it imports.

    `texts` are the texts of the files that findings and fixes may point into, `reads` the files that the
    result depends on, both by path. `problems` are internal errors; `notices` are what the user has to mend
    outside the program. Only in the analysis thread do positions in `report` match `texts`.
    """

    findings: list[Finding]
    texts: Mapping[str, str]
    reads: frozenset[str]
    report: Report
    problems: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    release: Release | None = None
    """the release of PyTorch that the program runs with"""
    seen: list[Seen] = field(default_factory=list)
    """what the last recorded run saw in its files, where their lines are unchanged since"""
    fixes: dict[int, list[Fix]] = field(default_factory=dict)
    """the verified fixes of the findings that somebody asked about, by the finding's number"""


def ignored(analysis: Analysis) -> None:
    """Do nothing with what was found so far."""


def analysis_of(result: CheckResult) -> Analysis:
    """The analysis that a check comes to, without what the check doesn't know."""
    return Analysis(
        result.findings,
        texts={name: file.text for name, file in result.documents.items()},
        reads=frozenset(),
        report=result.report,
        problems=tuple(problem.message for problem in result.problems if problem.internal),
    )


class Analyser(Protocol):
    """Answers for documents. Every method is called in the analysis thread, never two at once."""

    def configure(self, settings: Settings, folders: Sequence[str], locale: Locale) -> None:
        """Apply the editor's settings, the paths of its folders and its language; files are read again."""

    def analyse(
        self,
        path: str,
        files: Mapping[str, File],
        wanted: Callable[[], bool] = always,
        found: Callable[[Analysis], None] = ignored,
    ) -> Analysis:
        """Analyse the document at `path`; `files` are all open documents.

        Raises Unwanted soon after `wanted` says so. Where it takes long, `found` gets what was found anew so far.
        """

    def files_changed(self, paths: Sequence[str]) -> None:
        """Read these files again. They are not open, and were created, deleted or changed on the disk."""

    def recall(self, path: str, files: Mapping[str, File]) -> Recalled | None:
        """Return what an earlier session found in a document, if it is still valid."""

    def rest(self, files: Mapping[str, File]) -> None:
        """Do the work that waits until nobody types; `files` are all open documents."""

    def source(self, path: str) -> Source:
        """Return the parsed text of a document that has been analysed."""

    def fixes(self, analysis: Analysis, path: str, number: int) -> list[Fix]:
        """Return the verified fixes of a finding in `path`, best first."""

    def fix_all(self, path: str) -> list[Edit]:
        """Return the edits of all safe fixes in a document together."""

    def ignore(self, analysis: Analysis, number: int) -> list[Edit]:
        """Return the edits that silence a finding's rule in its statement."""

    def ignore_file(self, path: str) -> list[Edit]:
        """Return the edits that silence all rules in a document."""


class ProjectAnalyser:
    """Analyses documents within their projects. Each configuration file or workspace folder makes one project."""

    def __init__(self) -> None:
        self._settings = FileSettings()
        self._locale: Locale = "en"
        self._notices: list[str] = []
        self._folders: list[Path] = []
        self._projects: dict[tuple[Path | None, Path], _Linked] = {}
        self._open: dict[str, File] = {}
        self._memory = Memory(folder())

    def configure(self, settings: Settings, folders: Sequence[str], locale: Locale) -> None:
        """Apply settings, folders and language; projects and their configuration files are read again."""
        self._locale = locale
        self._settings, self._notices = file_settings(settings)
        self._folders = [Path(folder) for folder in folders]
        self._projects.clear()

    def files_changed(self, paths: Sequence[str]) -> None:
        """Read files again; programs that do not depend on them are not replayed again."""
        for project in self._projects.values():
            project.read_again(paths)

    def analyse(
        self,
        path: str,
        files: Mapping[str, File],
        wanted: Callable[[], bool] = always,
        found: Callable[[Analysis], None] = ignored,
    ) -> Analysis:
        """Check the document as one program with the open documents that it imports or that import it."""
        project, notices = self._project(path)
        self._show(project, files)
        early = Early(project, self._locale, found, FIRST if project.knows(path) else OPENING)

        def still_wanted() -> bool:
            early.look()
            return wanted()

        project.wanted = still_wanted
        try:
            program: set[str] = set()
            while program != (linked := project.program(path, files)):
                program = linked
                analysis = self._check(project, sorted(program), notices)
        finally:
            project.wanted = always
        analysis.seen = last_seen(project, program, self._locale)
        if program == {path} and not analysis.problems:
            self._memory.note(project, self._locale, self._open[path], analysis.findings)
        return analysis

    def recall(self, path: str, files: Mapping[str, File]) -> Recalled | None:
        """Return what an earlier session found in a document as a program of its own."""
        return self._memory.recall(self._project(path)[0].config, self._locale, files[path])

    def rest(self, files: Mapping[str, File]) -> None:
        """Keep what was found in saved documents; forget files that have nothing to do with an open document."""
        self._close_others(files)
        if waiting := [path for path in self._memory.waiting if path in self._open]:
            self._memory.keep({path: frozenset(self._project(path)[0].reads([path])) for path in waiting})
        used = [self._project(path)[0] for path in self._open]
        self._projects = {key: project for key, project in self._projects.items() if project in used}
        for project in used:
            project.forget_others(self._open)

    def _check(self, project: _Linked, program: list[str], notices: list[str]) -> Analysis:
        """Check a program; what was found for one of its documents holds for the others."""
        files = [self._open[path] for path in program]
        if project.checked is None or project.checked[0] != files:
            project.unlink(program)
            result = project.check(program, least(project.config), locale=self._locale)
            reads = frozenset({*project.reads(program), str(project.root / PLACE)})
            analysis = replace(analysis_of(result), reads=reads, notices=tuple(notices), release=project.config.release)
            project.checked = files, analysis
        return project.checked[1]

    def source(self, path: str) -> Source:
        """Return the parsed text of a document that has been analysed."""
        return self._project(path)[0].source(path)

    def fixes(self, analysis: Analysis, path: str, number: int) -> list[Fix]:
        """Return the verified fixes of a finding; they are looked for once.

        An internal error costs the fixes of this finding, and is logged.
        """
        if number not in analysis.fixes:
            project, notices = self._project(path)
            analysis.fixes[number] = []
            try:
                self._check(project, sorted(project.program(path, self._open)), notices)
                analysis.fixes[number] = project.fixes(analysis.findings[number], self._locale)
            except Exception:
                logger.exception("looking for fixes of %s failed", analysis.findings[number].message)
        return analysis.fixes[number]

    def fix_all(self, path: str) -> list[Edit]:
        """Return all safe fixes together, as a difference by lines.

        They are tried in a separate project, because mending moves the chunks that positions refer to.
        """
        shown, _ = self._project(path)
        project = Project(shown.root, shown.config)
        for file in self._open.values():
            project.overlay(file)
        mended = mend_project(project, [path], unsafe=False)
        changed = mended.after.items()
        return [edit for name, file in changed for edit in differences(mended.before[name], file)]

    def ignore(self, analysis: Analysis, number: int) -> list[Edit]:
        """Return the comment that silences a finding."""
        finding = analysis.findings[number]
        project, _ = self._project(finding.path)
        edit = ignore_edit(finding.diagnostic.site, finding.rule.code, {finding.path: project.source(finding.path)})
        return [edit] if edit else []

    def ignore_file(self, path: str) -> list[Edit]:
        """Return the comment that silences the whole file."""
        project, _ = self._project(path)
        edit = ignore_file_edit(path, project.source(path))
        return [edit] if edit else []

    def _project(self, path: str) -> tuple[_Linked, list[str]]:
        """Return the project of a document, and what is wrong with its configuration."""
        notices = list(self._notices)
        root = self._root(Path(path))
        try:
            config = self._settings.at(Path(path).parent if os.path.isabs(path) else root, root)
        except ConfigError as error:
            notices.append(str(error))
            config = Config(root)
        key = (config.path, config.root)
        if key not in self._projects:
            self._projects[key] = _Linked(config.root, config)
        return self._projects[key], notices

    def _root(self, path: Path) -> Path:
        """Return the innermost workspace folder that holds a file, else the file's own folder.

        A document that has never been saved belongs to the first folder.
        """
        if not path.is_absolute():
            return next(iter(self._folders), Path.cwd())
        holding = [folder for folder in self._folders if path.is_relative_to(folder)]
        return max(holding, key=lambda folder: len(folder.parts), default=path.parent)

    def _show(self, project: _Linked, files: Mapping[str, File]) -> None:
        """Use the open documents in place of their files; an unchanged one keeps its record, and so its parse."""
        self._close_others(files)
        for path, file in files.items():
            if self._open.get(path) != file:
                self._open[path] = file
            project.overlay(self._open[path])

    def _close_others(self, files: Mapping[str, File]) -> None:
        for path in self._open.keys() - files.keys():
            del self._open[path]
            for one in self._projects.values():
                one.uncover(path)


class Early:
    """What a long analysis finds is told before it ends: nothing of that will be taken back."""

    def __init__(self, project: _Linked, locale: Locale, found: Callable[[Analysis], None], seconds: float) -> None:
        self._project = project
        self._locale: Locale = locale
        self._found = found
        self._known = 0
        self._due = time.perf_counter() + seconds

    def look(self) -> None:
        """Tell of new failures if there are any, and it is time for that."""
        now = time.perf_counter()
        session = self._project.running
        if now < self._due or session is None:
            return
        self._due = now + NEXT
        failures = session.so_far()
        if len(failures) > self._known:
            self._known = len(failures)
            report = Report(failures, facts=self._project.facts)
            result = self._project.result(report, {}, least(self._project.config), self._locale)
            self._found(analysis_of(result))


class _Linked(Project):
    """A project that remembers which file imports which, and what it found last."""

    def __init__(self, root: Path, config: Config) -> None:
        super().__init__(root, config)
        self._imports: dict[str, set[str]] = {}
        self._sessions: OrderedDict[frozenset[str], Session] = OrderedDict()
        self._refreshed = 0.0
        self.checked: tuple[list[File], Analysis] | None = None
        self.running: Session | None = None
        """the program that is being replayed"""

    def replay(self, roots: Sequence[Source], traced: bool = True) -> Report:
        """Replay a program; of a recently replayed one, replay only what has changed."""
        key = frozenset(source.path for source in roots)
        session = self._sessions.pop(key, None)
        for other in [other for other in self._sessions if other & key]:  # the same files in another program
            replaced = self._sessions.pop(other)
            session = session or replaced
        session = self._sessions[key] = session or Session(self)
        if len(self._sessions) > SESSIONS:
            self._sessions.popitem(last=False)
        self.running = session
        try:
            return session.replay(roots, self.wanted)
        finally:
            self.running = None

    def knows(self, path: str) -> bool:
        """Whether a program with this file was replayed."""
        return any(path in program for program in self._sessions)

    def refresh(self) -> None:
        """Look for modules again once the user pauses: typing a word should not make them come and go."""
        now = time.monotonic()
        if now - self._refreshed > PAUSE:
            super().refresh()
        self._refreshed = now

    def read_again(self, paths: Iterable[str]) -> None:
        """Read files again, as `Project` does; a changed model counts for every program that is replayed."""
        paths = list(paths)
        super().read_again(paths)
        if any(map(self.models.holds, paths)):
            self._sessions.clear()
        self._look_again()

    def uncover(self, path: str) -> None:
        """Use the file on the disk again, if there is one."""
        super().uncover(path)
        self._look_again()

    def overlay(self, document: File) -> None:
        """Use an open document in place of its file."""
        if document.path not in self._overlay:
            self._look_again()
        super().overlay(document)

    def _look_again(self) -> None:
        """Make the next check look for modules again: an import may now lead elsewhere."""
        self._refreshed = 0.0
        self.checked = None

    def load(self, name: str, level: int, importer: str) -> Source | None:
        """Return the module that an import means, as `Project` does."""
        source = super().load(name, level, importer)
        if source is not None:
            self._imports.setdefault(importer, set()).add(source.path)
        return source

    def forget_others(self, paths: Collection[str]) -> None:
        """Forget all other files, and all programs that contain none of these."""
        kept = self.reads(paths)
        self._files = {path: file for path, file in self._files.items() if path in kept}
        self._imports = {path: imported for path, imported in self._imports.items() if path in kept}
        for path in self._comments.keys() - kept:
            del self._comments[path]
        for program in [program for program in self._sessions if program.isdisjoint(paths)]:
            del self._sessions[program]

    def unlink(self, paths: Iterable[str]) -> None:
        """Forget what these files import, and what that imports."""
        for path in self.reads(paths):
            self._imports.pop(path, None)

    def reads(self, paths: Iterable[str]) -> set[str]:
        """Return the files and everything that they import, directly or indirectly."""
        found: set[str] = set()
        waiting = list(paths)
        while waiting:
            path = waiting.pop()
            if path not in found:
                found.add(path)
                waiting += self._imports.get(path, ())
        return found

    def program(self, path: str, among: Iterable[str]) -> set[str]:
        """Return the files of `among` that imports link with `path`, in either direction, and itself."""
        reads = {one: self.reads([one]) for one in among}
        linked: set[str] = set()
        waiting = [path]
        while waiting:
            here = waiting.pop()
            if here not in linked:
                linked.add(here)
                waiting += [one for one in reads if one in reads[here] or here in reads[one]]
        return linked


def file_settings(settings: Settings) -> tuple[FileSettings, list[str]]:
    """Return the editor's settings as the workspace takes them, and what is wrong with them."""
    explicit, notices = None, []
    if settings.configuration is not None:
        try:
            explicit = load_config(Path(settings.configuration))
        except ConfigError as error:
            notices.append(str(error))
    python = settings.python
    return FileSettings(explicit, settings.select, settings.ignore, settings.min_severity, python=python), notices


def least(config: Config) -> Severity | None:
    """Return the severity below which the configuration wants no diagnostics."""
    return Severity[config.min_severity.upper()] if config.min_severity else None


def differences(before: File, after: File) -> list[Edit]:
    """Return the edits that turn one text into the other; in a notebook, each edit stays within one cell."""
    if before.notebook is None or after.notebook is None:
        return difference(before.path, before.text, after.text)
    old, new = before.notebook, after.notebook
    return [
        replace(edit, start=start + edit.start, end=start + edit.end)
        for start, *cells in zip(old.starts, old.sources, new.sources, strict=True)
        for edit in difference(before.path, *cells)
    ]


def difference(path: str, before: str, after: str) -> list[Edit]:
    """Return the edits that turn one text into the other. They replace whole lines; unchanged lines stay untouched."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        Edit(path, starts[i], starts[j], "".join(new[k:n]))
        for tag, i, j, k, n in matcher.get_opcodes()
        if tag != "equal"
    ]
