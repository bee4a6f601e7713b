"""A project: its files, parsed once and checked together, and the findings after suppressions and selection."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .around import Importers, files_of
from .config import Config
from .files import Document, read_document
from .findings import Place, judged
from .models import Models
from .modules import Layout
from .ops import fact_of
from .problems import Problem, Unreadable
from .pytorch import release_of
from .suppressions import Comments, Suppression, statement_lines, without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Set

    from ..analyses.domain.report import Report, Site
    from ..facts.model import Op
    from ..facts.releases import Facts
    from ..fixes.edit import Fix
    from ..fixes.verify import Trials
    from ..rules.diagnostic import Diagnostic
    from ..rules.messages import Locale
    from ..rules.rule import Rule, Severity
    from ..rules.wording import Wording
    from ..syntax.chunks import Source, Span


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic, with its places in the files as they were checked."""

    path: str
    span: Span
    diagnostic: Diagnostic
    related: tuple[Place, ...] = ()
    suppressed: bool = False
    fix: Fix | None = None
    """the fix that comes with it; those of a failure take a replay each: see `Project.fixes`"""

    @property
    def rule(self) -> Rule:
        """The rule that found it."""
        return self.diagnostic.rule

    @property
    def lines(self) -> range:
        """Those of its statement."""
        return statement(self.diagnostic.site)

    @property
    def position(self) -> tuple[str, int, int]:
        """By which findings are put in order."""
        return self.path, self.span.start_line, self.span.start_col

    @property
    def severity(self) -> Severity:
        """How certain it is."""
        return self.diagnostic.severity

    @property
    def words(self) -> Wording:
        """The message."""
        return self.diagnostic.words

    @property
    def message(self) -> str:
        """What is wrong, in one or two sentences."""
        return self.words.message

    @property
    def kind(self) -> str | None:
        """The kind of failure that it predicts; None for what is said about comments."""
        failure = self.diagnostic.failure
        return self.rule.kind if failure is None else failure.kind


@dataclass(slots=True)
class CheckResult:
    """What a check found. `documents` has the text of every file that was read, by path.

    `report` is the replay that it all comes from.
    """

    report: Report
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    checked: int = 0
    """the number of files that were asked for and could be read"""

    @property
    def active(self) -> list[Finding]:
        """The findings that no comment silences."""
        return [finding for finding in self.findings if not finding.suppressed]


@dataclass(slots=True)
class _File:
    """A file as it was last read; `stamp` shows whether it has changed on the disk since."""

    stamp: tuple[int, int] | None
    document: Document
    finds: bool
    """whether it may itself change where modules are found"""
    source: Source | None = None
    """the file as it was last parsed: while it is not `parsed`, that of an earlier text"""
    parsed: bool = False
    later: bool = False
    """whether bodies of functions in `source` may be left for later"""


class Project:
    """The files below one configuration, and the modules that they import from one another.

    It is the resolver that a replay asks for modules. Files are read when they are needed, and parsed again
    only when their text has changed. `ready` are already parsed files by path. A check raises Unwanted soon after
    `wanted` says so.
    """

    def __init__(self, root: Path, config: Config | None = None, ready: Mapping[str, Source] | None = None) -> None:
        self.root = root
        self.config = config or Config(root)
        self.models = Models(root, self.config.models)
        self._facts = {name: fact_of(name, op) for name, op in self.config.ops.items()}
        self._ready = ready or {}
        self._files: dict[str, _File] = {}
        self._overlay: dict[str, Document] = {}
        self._layout = Layout(root, self.config.src, self._is_file)
        self._modules: dict[tuple[str, int, str], str | None] = {}
        self._packages: dict[str, str] = {}
        self._comments: defaultdict[str, Comments] = defaultdict(Comments)
        self._replayed: list[Source] | None = None
        self._traced: Report | None = None
        self._importers: Importers | None = None
        self._trials: dict[frozenset[str], Trials] = {}
        self.wanted: Callable[[], bool] = lambda: True

    # -- texts -----------------------------------------------------------------------------------

    def overlay(self, document: Document) -> None:
        """Let `document` stand for the file of its path, until `uncover`."""
        self._overlay[document.path] = document

    def uncover(self, path: str) -> None:
        """Use the file on the disk again."""
        self._overlay.pop(path, None)

    def document(self, path: str) -> Document:
        """The text of a file. Raises Unreadable."""
        return self._file(path).document

    def source(self, path: str) -> Source:
        """The parsed file. Raises Unreadable."""
        from ..syntax.chunks import whole

        file = self._file(path)
        if not file.parsed or file.source is None:
            file.source, file.parsed = _parsed(file.document, file.source, self._ready.get(path)), True
        if file.later:
            file.source, file.later = whole(file.source), False
        return file.source

    def _imported(self, path: str) -> Source:
        """The parsed file, of whose functions the bodies may be left for later. Raises Unreadable."""
        file = self._file(path)
        if not file.parsed and file.source is None and path not in self._ready:
            file.source, file.parsed = _parsed(file.document, None, None, later=True), True
            file.later = True
        return file.source if file.parsed and file.source is not None else self.source(path)

    def load(self, name: str, level: int, importer: str) -> Source | None:
        """The module that an import in the file `importer` means; None if it is not in the project.

        `name` has no leading dots, `level` counts them.
        """
        path = self._locate(name, level, importer)
        try:
            return None if path is None else self._imported(path)
        except Unreadable:
            return None

    def _locate(self, name: str, level: int, importer: str) -> str | None:
        """The path of the module that `load` returns."""
        known = self._files.get(importer)
        key = (name, level, importer if known is not None and known.finds else os.path.dirname(importer))
        if key not in self._modules:
            self._modules[key] = self.find(name, level, importer, known.document.text if known is not None else "")
        return self._modules[key]

    def find(self, name: str, level: int, importer: str, text: str = "") -> str | None:
        """The path that an import in the file `importer`, with this text, leads to, if it is one of the project's."""
        found = self._layout.find(name, level, Path(importer), text)
        return None if found is None else str(found)

    def stamp(self, path: str) -> tuple[int, int] | None:
        """The modification time and size of a file when it was read; None if it wasn't read from the disk."""
        return self._files[path].stamp if path in self._files else None

    @property
    def looked_up(self) -> tuple[Mapping[tuple[str, int, str], str | None], Mapping[str, str]]:
        """What was asked since the last `refresh`: the paths of imports, and the packages of folders.

        An import is a name, the dots before it, and the folder of the file that it is in; that file itself where it
        changes `sys.path`.
        """
        return self._modules, self._packages

    @cached_property
    def facts(self) -> Facts:
        """The facts of the release of PyTorch that the project runs with."""
        return (self.config.release or release_of(self.config.root, self.config.torch)).facts

    def fact(self, name: str) -> Op | None:
        """What the configuration says of one of the project's own operators, by its dotted name; None if nothing."""
        return self._facts.get(name)

    def model(self, name: str) -> Source | None:
        """The user's own model of a library's module, by its dotted name; None without one."""
        return self.models.find(name)

    def package(self, path: str) -> str:
        """The dotted name of the package that a file is in; empty if it is in none."""
        folder = os.path.dirname(path)
        if folder not in self._packages:
            inside = self._is_file(Path(folder, "__init__.py"))
            outer = self.package(folder) if inside else ""
            self._packages[folder] = ".".join(filter(None, (outer, os.path.basename(folder)))) if inside else ""
        return self._packages[folder]

    def _is_file(self, path: Path) -> bool:
        """Whether a file exists, on the disk or as a text that has not been saved yet."""
        return str(path) in self._overlay or os.path.isfile(path)

    def refresh(self) -> None:
        """Look for modules again: files may have been created or deleted."""
        self._modules.clear()
        self._packages.clear()
        self._layout.refresh()

    def read_again(self, paths: Iterable[str]) -> None:
        """Read these files again, which were created, deleted or changed on the disk, and look for modules again."""
        self._layout = Layout(self.root, self.config.src, self._is_file)
        self.models.forget()
        for path in paths:
            if path in self._files:
                self._files[path].stamp = None
        self.refresh()

    def _file(self, path: str) -> _File:
        known = self._files.get(path)
        shown = self._overlay.get(path)
        stamp = stamp_of(path) if shown is None else None
        if known is not None and (shown is known.document if shown else stamp is not None and stamp == known.stamp):
            return known
        document = shown or read_document(path)
        before = known.source if known is not None else None
        later = known is not None and known.later
        self._files[path] = _File(stamp, document, "sys.path" in document.text, before, later=later)
        return self._files[path]

    def _text(self, path: str) -> str:
        """The text of a module; empty if it cannot be read."""
        try:
            return self._file(path).document.text
        except Unreadable:
            return ""

    # -- checking --------------------------------------------------------------------------------

    def check(
        self,
        paths: Sequence[str],
        least: Severity | None = None,
        on_file: Callable[[], None] = lambda: None,
        locale: Locale = "en",
        traced: bool = True,
    ) -> CheckResult:
        """Replay the files `paths` (absolute) as one program and return what is wrong with it.

        Findings may be in a file of the project that they import. A file that cannot be read or fully parsed is
        reported in `problems`; the rest is checked. Findings less severe than `least`, if given, are left out.
        `on_file` is called for each file when it has been read, before the replay. `locale` is the language of
        the messages. A check that is not `traced` costs less, and has no rows and stories.
        """
        from .relevance import relevant

        self.refresh()
        sources, problems = self._sources(paths, on_file)
        matter = relevant(list(sources), self._text, self._locate)
        roots = [source for path, source in sources.items() if path in matter]
        report = self.replay(roots, traced)
        self.go_on()
        self._replayed, self._traced, self._importers, self._trials = roots, report if traced else None, None, {}
        result = self.result(report, sources, least, locale)
        problems += [Problem(str(self.root), problem, internal=True) for problem in report.problems]
        problems += self.models.problems()
        result.problems = problems
        return result

    def result(
        self, report: Report, sources: Mapping[str, Source], least: Severity | None, locale: Locale
    ) -> CheckResult:
        """What is wrong with a program by its replay, as `check` gives it; `sources` are the files asked for."""
        from ..rules.diagnostic import diagnose

        diagnostics = diagnose(report, locale)
        findings = self._judged(sources, diagnostics, not report.problems, locale)
        if least is not None:
            findings = [finding for finding in findings if finding.severity <= least]
        documents = {path: file.document for path, file in self._files.items()}
        return CheckResult(report, findings, documents=documents, checked=len(sources))

    def report(self, path: str) -> Report:
        """The replay of one file as it is, whatever is selected. Raises Unreadable."""
        return self.replay([self.source(path)])

    def replay(self, roots: Sequence[Source], traced: bool = True) -> Report:
        """The replay of a program that begins with the files `roots`."""
        from ..analyses import replay

        return replay(roots, self, traced, self.wanted)

    def go_on(self) -> None:
        """Raise Unwanted if nobody waits for the answer."""
        if not self.wanted():
            from ..analyses.domain.paths import Unwanted

            raise Unwanted

    def fixes(
        self,
        finding: Finding,
        locale: Locale = "en",
        wanted: Callable[[Fix], bool] = lambda fix: True,
        most: int | None = None,
    ) -> list[Fix]:
        """The fixes of what the last check found, best first, each verified by replaying the edited program.

        `locale` is the language of their titles; at most `most` of those that are `wanted` are looked for.
        """
        from ..fixes import LIMIT, mend

        failure = finding.diagnostic.failure
        if failure is None or self._replayed is None:
            return [finding.fix] if finding.fix and wanted(finding.fix) else []
        most = LIMIT if most is None else most
        roots = frozenset(root.path for root in self._replayed)
        around = self._importing(files_of(failure)) & roots
        trials = self._trials_of(around)
        for one in trials.report.failures:
            if (one.kind, one.site, one.saved) == (failure.kind, failure.site, failure.saved):
                fixes = mend(one, trials.sources, trials, locale, wanted, most)
                if self._importing({edit.path for fix in fixes for edit in fix.edits}) & roots <= around:
                    return fixes
        trials = self._trials_of(roots)
        return mend(failure, trials.sources, trials, locale, wanted, most)

    def _importing(self, paths: Set[str]) -> frozenset[str]:
        """These files and all that import them: the part of the program that an edit of them can affect."""
        if self._importers is None:
            self._importers = Importers([root.path for root in self._replayed or ()], self._text, self._locate)
        return frozenset(self._importers.of(paths))

    def _trials_of(self, paths: frozenset[str]) -> Trials:
        """Where fixes are tried: the program that begins with some of the files that were checked."""
        from ..fixes.verify import Trials

        if paths not in self._trials:
            roots = [root for root in self._replayed or () if root.path in paths]
            known = self._traced if len(roots) == len(self._replayed or ()) else None
            sources = {path: file.source for path, file in self._files.items() if file.source and file.parsed}
            self._trials[paths] = Trials(known, sources, roots, self, self.wanted)
        return self._trials[paths]

    def _sources(self, paths: Iterable[str], on_file: Callable[[], None]) -> tuple[dict[str, Source], list[Problem]]:
        """The files that can be read, by path, and what is wrong with them."""
        sources, problems = {}, []
        for path in paths:
            on_file()
            self.go_on()
            try:
                source = sources[path] = self.source(path)
            except Unreadable as error:
                problems.append(error.problem)
                continue
            if source.problems:
                problems.append(_unparsed(source, self._files[path].document))
        return sources, problems

    def _judged(
        self, sources: Mapping[str, Source], diagnostics: Iterable[Diagnostic], complete: bool, locale: Locale
    ) -> list[Finding]:
        """The selected diagnostics, with those that comments silence marked, and idle comments.

        Whether a comment is idle is known only for the files that were asked for: others are replayed in part.
        """
        whole = [path for path, source in sources.items() if complete and not source.problems]

        def comments(path: str) -> Sequence[Suppression]:
            return self._comments[path].of(self._replayed_source(path))

        def idle(path: str, comment: Suppression, codes: tuple[str, ...]) -> Finding:
            return self._idle(self._replayed_source(path), comment, codes, locale)

        return judged(map(finding_of, diagnostics), self.config, comments, whole, idle)

    def _replayed_source(self, path: str) -> Source:
        """A file as the replay saw it, whatever has changed since."""
        file = self._files.get(path)
        return file.source if file is not None and file.source is not None else self.source(path)

    @staticmethod
    def _idle(source: Source, comment: Suppression, codes: tuple[str, ...], locale: Locale) -> Finding:
        """The finding that a comment silences nothing."""
        from ..rules.diagnostic import unused_suppression

        diagnostic = unused_suppression(comment_site(source.path, source.text, comment), codes, locale)
        return replace(finding_of(diagnostic), fix=removal(source.path, source.text, comment, codes, locale))


def comment_site(path: str, text: str, comment: Suppression) -> Site:
    """Where a comment is. Comments belong to no statement: their chunk is the whole file."""
    from ..analyses.domain.report import Site
    from ..syntax.chunks import Chunk, line_starts
    from ..syntax.ir import Node

    chunk = Chunk(path, text, 0, 0, "statement", line_starts=line_starts(text))
    return Site(chunk, Node(comment.start, comment.end))


def removal(path: str, text: str, comment: Suppression, idle: Sequence[str], locale: Locale = "en") -> Fix | None:
    """The fix that removes what silences nothing; none for a comment that was meant to say something else."""
    from ..fixes.edit import Edit, Fix
    from ..fixes.titles import title

    if not comment.understood:
        return None
    edit = Edit(path, *without(text, comment, idle))
    return Fix(title(locale, "unused"), "safe", (edit,), preferred=True)


def finding_of(diagnostic: Diagnostic) -> Finding:
    """A diagnostic with its places in the files as they are now."""
    return Finding(
        path=diagnostic.site.chunk.path,
        span=span_of(diagnostic.site),
        diagnostic=diagnostic,
        related=tuple(Place(r.site.chunk.path, span_of(r.site), r.message) for r in diagnostic.related),
    )


def _unparsed(source: Source, document: Document) -> Problem:
    """The first fault in the syntax of a file, and how many follow; in a notebook the message names the cell."""
    fault, *more = source.problems
    message = fault.message + (f" (and {len(more)} more in this file)" if more else "")
    if document.notebook is None:
        return Problem(document.path, message, fault.line + 1, fault.column + 1)
    cell, line = document.notebook.place(fault.line)
    return Problem(document.path, f"cell {cell}: {message}", line + 1, fault.column + 1)


def statement(site: Site) -> range:
    """The lines of the statement at the site."""
    lines = statement_lines(site.chunk, site.node)
    span = span_of(site)
    return lines or range(span.start_line, span.end_line + 1)


def span_of(site: Site) -> Span:
    """Where a site is in its file."""
    return site.chunk.span(site.node)


def _parsed(document: Document, before: Source | None, ready: Source | None, later: bool = False) -> Source:
    """The document as a parsed file; unchanged pieces of `before`, the parse of an earlier text, are reused."""
    from ..syntax.chunks import parse

    same = next((known for known in (before, ready) if known is not None and known.text == document.text), None)
    source = same or parse(document.text, document.path, before, later)
    if document.notebook is not None:
        cells = tuple(zip(document.notebook.cells, document.notebook.lines, strict=True))
        for chunk in source.chunks:
            chunk.cells = cells
    return source


def stamp_of(path: str) -> tuple[int, int] | None:
    """A stamp that changes with the file; None if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
