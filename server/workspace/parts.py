"""A large project in parts: each is checked as a separate program, in any process.

A part is a folder, or the files of one, as long as that is not too much for one process; most projects are one part.
The division depends only on the project's files, so that every run finds the same, with any number of processes. What
a part imports from other parts is read along with it, but reported only as far as the part itself leads there.
"""

from __future__ import annotations

import ast
import gc
import os
import pickle
import warnings
from contextlib import suppress
from dataclasses import astuple, dataclass, field, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING

from .config import selected
from .files import read_document
from .findings import Found
from .problems import Unreadable
from .project import Project, span_of, stamp_of, statement
from .reading import read_regular_file
from .relevance import relevant, uses_torch
from .suppressions import may_silence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence, Set

    from ..analyses.domain.report import Report
    from ..fixes.edit import Fix
    from ..rules.messages import Locale
    from ..rules.rule import Severity
    from ..syntax.chunks import Source
    from .config import Config
    from .files import Document
    from .problems import Problem
    from .project import CheckResult, Finding

MOST, LEAST = 1_500_000, 150_000
"""bytes of code: the most in a part (some 35,000 lines), and how few are not worth a process of their own"""

MENDED = 100
"""Of so many findings in a part a fix is looked for to be shown beside them: each costs some replays."""

PARTS = 4
"""the fewest parts of a project that isn't small, so that several processes have something to do"""

KEPT = 8_000_000
"""bytes of code that a process keeps parsed between parts of one project; with the replay, under 700 MB of memory"""

_Sized = tuple[tuple[str, ...], int]
"""files, and their size in bytes"""

Import = tuple[str, int, str]
"""A module's dotted name, the dots before it, and the folder, or the file, that imports it."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Files to check as one program. `documents` stand for files of these paths.

    With `mend`, fixes are looked for, for what is at least so grave and selected; with `most`, no more of each finding,
    and of no more than MENDED findings. `locale` is the language of the messages, `variant` tells apart answers to
    other questions about the same files.
    """

    config: Config
    paths: tuple[str, ...]
    documents: tuple[Document, ...] = ()
    mend: Severity | None = None
    most: int | None = None
    variant: str = ""
    locale: Locale = "en"

    @property
    def size(self) -> int:
        """How much work it is, roughly: bytes of code."""
        return sum(size(path) for path in self.paths)


@dataclass(slots=True)
class Outcome:
    """What is wrong with a part, whatever is selected and silenced, and what that depends on.

    `whole` are the files that were replayed without a fault. `reads` has the digests of all files that were read
    (empty where that isn't known), `imports` where imports led to, `packages` the packages of folders.
    """

    found: list[Found] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)
    checked: int = 0
    reads: dict[str, str] = field(default_factory=dict)
    imports: dict[Import, str | None] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    reach: Reached = field(default_factory=lambda: Reached())


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A line after which the replay has not followed the program; `why` is one of `report.Why`, `detail` names an
    error that is raised there."""

    path: str
    line: int
    why: str
    detail: str = ""


@dataclass(slots=True)
class Reached:
    """How far the replay has come: the number of statements, how many were replayed to their end, where it gave up."""

    ended: int = 0
    statements: int = 0
    given_up: list[GivenUp] = field(default_factory=list)

    def add(self, other: Reached) -> None:
        """Add what was reached elsewhere."""
        self.ended += other.ended
        self.statements += other.statements
        self.given_up += other.given_up


def split(paths: Sequence[str], root: str) -> list[tuple[str, ...]]:
    """The files below a folder in parts, in their order; a folder stays whole if it is not too large."""
    total = sum(map(size, paths))
    return [part for part, _ in _split(paths, root, total, min(MOST, max(LEAST, total // PARTS)))]


def _split(paths: Sequence[str], root: str, total: int, most: int) -> list[_Sized]:
    """The files below a folder, with their total size, in parts of no more than `most` bytes."""
    if total <= most or len(paths) == 1:
        return [(tuple(paths), total)] if paths else []
    below: dict[str, list[str]] = {}
    for path in paths:
        inside = os.path.relpath(path, root).split(os.sep)
        below.setdefault(os.path.join(root, inside[0]) if len(inside) > 1 else "", []).append(path)
    if len(below) == 1 and "" not in below:
        return _split(paths, next(iter(below)), total, most)
    groups: list[_Sized] = []
    for folder, inside in below.items():
        each = [((path,), size(path)) for path in inside]
        groups += _split(inside, folder, sum(bytes_ for _, bytes_ in each), most) if folder else _gathered(each, most)
    return list(_gathered(groups, most))


def _gathered(groups: Sequence[_Sized], most: int) -> Iterator[_Sized]:
    """Neighbours joined, as long as together they are not too large for a part."""
    gathered: list[str] = []
    total = 0
    for group, bytes_ in groups:
        if gathered and total + bytes_ > most:
            yield tuple(gathered), total
            gathered, total = [], 0
        gathered += group
        total += bytes_
    if gathered:
        yield tuple(gathered), total


@cache
def size(path: str) -> int:
    """The bytes of a file; none where there is none."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


# -- checking ---------------------------------------------------------------------------------

_kept = local()
"""at most one project, of which this thread has checked a part: its files need not be parsed again"""


ready: dict[str, Source] = {}
"""files by path that were parsed before this process was forked"""


def parse_files(paths: Sequence[str]) -> list[bytes]:
    """Parse files and pickle those that can be pickled; unpickling takes a twentieth of the time."""
    from ..syntax.chunks import parse

    parsed = []
    for path in paths:
        with suppress(Unreadable, RecursionError):
            document = read_document(path)
            if document.notebook is None and uses_torch(document.text):
                parsed.append(pickle.dumps(parse(document.text, path), pickle.HIGHEST_PROTOCOL))
    return parsed


def check_part(part: Part, wanted: Callable[[], bool] = lambda: True) -> Outcome:
    """Check a part; what it imports is read from the disk. Raises Unwanted soon after `wanted` says so."""
    project = _project(part.config)
    project.wanted = wanted
    for document in part.documents:
        project.overlay(document)
    idle, looked_up = _idle(project, part)
    paths = [path for path in part.paths if path not in idle]
    result = project.check(paths, locale=part.locale, traced=False)
    imports, packages = {**looked_up, **project.looked_up[0]}, dict(project.looked_up[1])
    found = [_raw(finding) for finding in result.findings if finding.diagnostic.failure is not None]
    if part.mend is not None:
        found = _mended(project, result, part)
    faulty = {problem.path for problem in result.problems}
    internal = any(problem.internal for problem in result.problems)
    outcome = outcome_of(project, part.paths, frozenset(filter(None, imports.values())), found)
    outcome.imports, outcome.packages = imports, packages
    outcome.reach = _reached(result.report, part.paths)
    outcome.problems, outcome.checked = result.problems, result.checked + len(idle)
    outcome.whole = [] if internal else [path for path in part.paths if path not in faulty]
    if part.documents:
        outcome.reads = {}
    if part.documents or sum(map(size, result.documents)) > KEPT:
        del _kept.project
    return outcome


def _reached(report: Report, paths: Sequence[str]) -> Reached:
    """How far a replay has come in its own files."""
    given_up = {
        GivenUp(stop.site.chunk.path, span_of(stop.site).start_line + 1, stop.why, stop.detail)
        for stop in report.stops
        if stop.site.chunk.path in paths
    }
    return Reached(*report.reach, sorted(given_up, key=astuple))


def _mended(project: Project, result: CheckResult, part: Part) -> list[Found]:
    """What was found, with the fixes of what is grave enough."""

    left = len(result.findings) if part.most is None else MENDED

    def fixes(finding: Finding) -> tuple[Fix, ...] | None:
        nonlocal left
        grave = part.mend is not None and finding.severity <= part.mend
        if not grave or not left or not selected(part.config, finding.rule.code, Path(finding.path)):
            return None
        left -= 1
        return tuple(project.fixes(finding, part.locale, most=part.most))

    return [_raw(one, fixes(one)) for one in result.findings if one.diagnostic.failure is not None]


def _idle(project: Project, part: Part) -> tuple[set[str], dict[Import, str | None]]:
    """The files of a part that need not be parsed, because nothing can be wrong with them; and where imports lead.

    They neither use torch nor import what does, their syntax is right, and no comment in them could be idle itself.
    """
    texts: dict[str, str] = {document.path: document.text for document in part.documents}
    looked_up: dict[Import, str | None] = {}

    def text(path: str) -> str:
        if path not in texts:
            texts[path] = ""
            with suppress(Unreadable):
                texts[path] = read_document(path).text
        return texts[path]

    def find(name: str, level: int, importer: str) -> str | None:
        adds = "sys.path" in text(importer)
        key = (name, level, importer if adds else os.path.dirname(importer))
        if key not in looked_up:
            looked_up[key] = project.find(name, level, importer, text(importer))
        return looked_up[key]

    if all(uses_torch(text(path)) for path in part.paths):
        return set(), {}
    matters = relevant(part.paths, text, find)
    rest = [path for path in part.paths if path not in matters and path.endswith(".py")]
    return {path for path in rest if text(path) and not may_silence(text(path)) and _parses(text(path))}, looked_up


def _parses(text: str) -> bool:
    """Whether Python takes the text; its own parser is much faster than one that keeps every blank."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def outcome_of(project: Project, paths: Sequence[str], imported: Set[str], found: list[Found]) -> Outcome:
    """What was found in some files of a project, and what it depends on; `reads` is empty if a file has changed since.

    Of imports, it has those that were looked up since the project was last refreshed.
    """
    reads = {path: digest(path) for path in sorted({*paths, *imported})}
    same = all(project.stamp(path) == stamp_of(path) for path in reads if project.stamp(path) is not None)
    modules, packages = project.looked_up
    return Outcome(found, reads=reads if same else {}, imports=dict(modules), packages=dict(packages))


def digest(path: str) -> str:
    """The digest of a file's contents; empty if it can't be read."""
    try:
        return blake2b(read_regular_file(path), digest_size=16).hexdigest()
    except OSError:
        return ""


def prepare() -> None:
    """Import all that a check needs, for processes that are forked."""
    from ..analyses import libraries
    from ..analyses.program import session  # noqa: F401
    from ..rules import diagnostic  # noqa: F401
    from ..syntax import chunks, nodes  # noqa: F401

    libraries.load_models()


def _project(config: Config) -> Project:
    """The project of a configuration, in which every rule is on."""
    everything = replace(config, select=("ALL",), ignore=(), per_file_ignores={})
    known: Project | None = getattr(_kept, "project", None)
    if known is None or known.config != everything:
        gc.collect()  # the previous one is freed at once, not when as much memory is in use again
        known = _kept.project = Project(config.root, everything, ready)
    return known


def _raw(finding: Finding, fixes: tuple[Fix, ...] | None = None) -> Found:
    """A finding before comments are applied."""
    return replace(plain(finding, fixes), suppressed=False)


def plain(finding: Finding, fixes: tuple[Fix, ...] | None = None) -> Found:
    """A finding without the replay that it comes from."""
    lines = statement(finding.diagnostic.site)
    return Found(
        path=finding.path,
        span=finding.span,
        code=finding.rule.code,
        severity=finding.severity,
        words=finding.words,
        kind=finding.kind,
        related=finding.related,
        start=lines.start,
        end=lines.stop,
        suppressed=finding.suppressed,
        fixes=fixes,
    )
