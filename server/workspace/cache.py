"""What earlier runs found, on the disk: a part of a project that is as it was is not checked again.

There is one file for each part. It holds what was found and what that rests on: the contents of every file that was
read, where each import led, which folders are packages. It is used only if all of that is as it was, and so are the
settings and GradGuard itself. A file is written aside and put in its place in one step, so that runs at the same
time and a run that is killed leave whole files alone; one that does not bear its own digest is as good as none.

Libraries that keep objects on the disk (`diskcache`, `shelve`, `joblib`) unpickle what they find, which runs code:
that is no way to treat a folder of a project that somebody has just cloned. SQLite would do, but its locks fail on
network file systems, and there is nothing to ask that a file's name does not answer.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from contextlib import suppress
from dataclasses import astuple
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..rules.rule import Severity
from ..rules.wording import Wording
from ..syntax.chunks import Span
from .files import read_document
from .findings import Found, Place
from .parts import Outcome, digest
from .problems import Problem, Unreadable
from .project import Project
from .reading import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..fixes.edit import Fix
    from .parts import Part

FOLDER = ".gradguard_cache"

LARGEST = 64 * 1024 * 1024
"""Bytes that a cache may have; what was not used for longest goes first."""

UNUSED = 30 * 24 * 3600
"""Seconds after which what was not used is taken out: another GradGuard made it, or of other files."""

FORMAT = 1


class Cache:
    """The cache in one folder. Faults of the disk cost what is kept, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._projects: dict[str, Project] = {}
        self._digests: dict[str, str] = {}

    def get(self, part: Part) -> Outcome | None:
        """What was found in a part, if it would be found again."""
        if part.documents:
            return None
        path = self._path(part)
        try:
            data = read_regular_file(path)
            head, _, body = data.partition(b"\n")
            if head.decode() != _checksum(body):
                raise ValueError("damaged")
            outcome = _read(json.loads(body))
        except FileNotFoundError:
            return None
        except Exception:  # whatever it is that stands there, it is not what was written
            with suppress(OSError):
                path.unlink()
            return None
        if not self._holds(part, outcome):
            return None
        with suppress(OSError):
            os.utime(path)
        return outcome

    def put(self, part: Part, outcome: Outcome) -> None:
        """Keep what was found, unless it is not known what that rests on."""
        if part.documents or not outcome.reads or any(problem.internal for problem in outcome.problems):
            return
        body = json.dumps(_written(outcome), separators=(",", ":")).encode()
        with suppress(OSError):
            self._begin()
            handle, name = tempfile.mkstemp(prefix="gradguard-", suffix=".new", dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_checksum(body).encode() + b"\n" + body)
                os.replace(name, self._path(part))
            except OSError:
                os.unlink(name)
                raise

    def trim(self) -> None:
        """Take out what was not used for a month, and as much of the rest, the oldest first, as is too much."""
        entries = []
        if self.folder.is_symlink():
            return
        with suppress(OSError):
            for path in self.folder.iterdir():
                if _ours(path.name):
                    with suppress(OSError):
                        status = path.stat()
                        entries.append((status.st_mtime, status.st_size, path))
        total, oldest = 0, time.time() - UNUSED
        for used, size, path in sorted(entries, reverse=True):
            total += size
            if total > LARGEST or used < oldest:
                with suppress(OSError):
                    path.unlink()

    def _begin(self) -> None:
        """Make the folder; no version control and no backup is to take it along.

        A link is not followed: it would lead to wherever a project that was just cloned wants it to.
        """
        if self.folder.is_symlink():
            raise OSError("a link")
        if not self.folder.is_dir():
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / ".gitignore").write_text("*\n")
            (self.folder / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")

    def _path(self, part: Part) -> Path:
        config = part.config
        settings = (
            FORMAT,
            _self(),
            str(config.root),
            config.src,
            sorted(config.ops.items()),
            part.mend,
            part.paths,
            part.variant,
            part.locale,
        )
        return self.folder / f"{blake2b(repr(settings).encode(), digest_size=16).hexdigest()}.json"

    def _holds(self, part: Part, outcome: Outcome) -> bool:
        """Whether all that the outcome rests on is as it was."""
        if any(self._digest(path) != known for path, known in outcome.reads.items()):
            return False
        root = str(part.config.root)
        project = self._projects.setdefault(f"{root}\n{part.config.src}", Project(part.config.root, part.config))
        if any(project.package(os.path.join(folder, "x.py")) != name for folder, name in outcome.packages.items()):
            return False
        return all(_led(project, *one) == path for one, path in outcome.imports.items())

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            self._digests[path] = digest(path)
        return self._digests[path]


def _led(project: Project, name: str, level: int, importer: str) -> str | None:
    """Where an import leads now."""
    if not importer.endswith((".py", ".ipynb")):
        return project.find(name, level, os.path.join(importer, "x.py"))
    try:
        return project.find(name, level, importer, read_document(importer).text)
    except Unreadable:
        return None


_ours = re.compile(r"[0-9a-f]{32}\.json|gradguard-\w+\.new").fullmatch


def _checksum(body: bytes) -> str:
    return blake2b(body, digest_size=16).hexdigest()


@cache
def _self() -> str:
    """What tells this GradGuard from another: the files of the package, as they were installed."""
    package = Path(__file__).parents[1]
    files = sorted(path for suffix in ("*.py", "*.json") for path in package.rglob(suffix))
    stamps = [(str(path.relative_to(package)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return blake2b(repr(stamps).encode(), digest_size=16).hexdigest()


# -- as JSON ----------------------------------------------------------------------------------


def _written(outcome: Outcome) -> dict[str, Any]:
    return {
        "found": [_found_as_json(found) for found in outcome.found],
        "problems": [[p.path, p.message, p.line, p.column, p.internal] for p in outcome.problems],
        "whole": outcome.whole,
        "checked": outcome.checked,
        "reads": outcome.reads,
        "imports": [[*one, path] for one, path in outcome.imports.items()],
        "packages": outcome.packages,
    }


def _read(data: dict[str, Any]) -> Outcome:
    """The outcome that was written so. Raises something if it is anything else."""
    return Outcome(
        found=[_found_of_json(one) for one in data["found"]],
        problems=[Problem(*one) for one in data["problems"]],
        whole=data["whole"],
        checked=data["checked"],
        reads=data["reads"],
        imports={(name, level, importer): path for name, level, importer, path in data["imports"]},
        packages=data["packages"],
    )


def _found_as_json(found: Found) -> dict[str, Any]:
    fixes = None if found.fixes is None else [list(_fix_parts(fix)) for fix in found.fixes]
    return {
        "place": [found.path, *_ends(found.span)],
        "told": [found.code, int(found.severity), found.kind],
        "words": list(astuple(found.words)),
        "lines": [found.start, found.end],
        "related": [[place.path, *_ends(place.span), place.message] for place in found.related],
        "fixes": fixes,
    }


def _found_of_json(data: dict[str, Any]) -> Found:
    path, *span = data["place"]
    code, severity, kind = data["told"]
    start, end = data["lines"]
    fixes = data["fixes"]
    return Found(
        path=path,
        span=Span(*span),
        code=code,
        severity=Severity(severity),
        words=Wording(*data["words"]),
        kind=kind,
        related=tuple(Place(place, Span(*ends), words) for place, *ends, words in data["related"]),
        start=start,
        end=end,
        fixes=None if fixes is None else tuple(_fix_of_json(*fix) for fix in fixes),
    )


def _ends(span: Span) -> tuple[int, int, int, int]:
    return span.start_line, span.start_col, span.end_line, span.end_col


def _fix_parts(fix: Fix) -> Iterator[Any]:
    yield from (fix.title, fix.safety, fix.preferred)
    yield [[edit.path, edit.start, edit.end, edit.text] for edit in fix.edits]


def _fix_of_json(title: str, safety: Any, preferred: bool, edits: list[list[Any]]) -> Fix:
    from ..fixes.edit import Edit, Fix  # all of `fixes` comes with it, and few findings bring one

    return Fix(title, safety, tuple(Edit(*edit) for edit in edits), preferred)
