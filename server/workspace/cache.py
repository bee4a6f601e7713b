"""What earlier runs found, on the disk: an unchanged part of a project is not checked again.

There is one file for each part. It holds what was found and what that depends on: the contents of every file that was
read, where each import led, which folders are packages. It is used only if all of that is unchanged, and so are the
settings and GradGuard itself. A file is written aside and then renamed, so that concurrent runs and killed runs leave
only complete files. A file without its own digest is ignored, and so is one that no check of the project can have
written (`outcomes.py`): a project may come with a cache.

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
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from .files import read_document
from .models import Models
from .outcomes import as_json, of_json, paths_in
from .parts import digest
from .problems import Unreadable
from .project import Project
from .reading import read_regular_file

if TYPE_CHECKING:
    from .config import Config
    from .parts import Outcome, Part

FOLDER = ".gradguard_cache"

LARGEST = 64 * 1024 * 1024
"""the most bytes that a cache may have; the least recently used files are removed first"""

UNUSED = 30 * 24 * 3600
"""seconds without use after which a file is removed: another GradGuard wrote it, or it was for other files"""

ABANDONED = 3600
"""seconds after which an unfinished file is abandoned: the process that wrote it was killed"""

FORMAT = 1


class Cache:
    """The cache in one folder. Errors of the disk lose cached results, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._projects: dict[str, Project] = {}
        self._digests: dict[str, str] = {}

    def get(self, part: Part) -> Outcome | None:
        """What was found in a part, if it is still valid."""
        if part.documents:
            return None
        path = self._path(part)
        try:
            data = read_regular_file(path)
            head, _, body = data.partition(b"\n")
            if head.decode() != _checksum(body):
                raise ValueError("damaged")
            outcome = of_json(json.loads(body))
        except FileNotFoundError:
            return None
        except Exception:  # whatever this file is, the cache did not write it
            with suppress(OSError):
                path.unlink()
            return None
        if not self._holds(part, outcome):
            return None
        with suppress(OSError):
            os.utime(path)
        return outcome

    def put(self, part: Part, outcome: Outcome) -> None:
        """Keep what was found, unless it is unknown what that depends on."""
        if part.documents or not outcome.reads or any(problem.internal for problem in outcome.problems):
            return
        body = json.dumps(as_json(outcome), separators=(",", ":")).encode()
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
        """Remove files unused for a month, half-written files, and the oldest ones above the limit."""
        entries = []
        if self.folder.is_symlink():
            return
        with suppress(OSError):
            for path in self.folder.iterdir():
                if _ours(path.name):
                    with suppress(OSError):
                        status = path.stat()
                        entries.append((status.st_mtime, status.st_size, path))
        total, now = 0, time.time()
        for used, size, path in sorted(entries, reverse=True):
            total += size
            if total > LARGEST or used < now - (ABANDONED if path.suffix == ".new" else UNUSED):
                with suppress(OSError):
                    path.unlink()

    def _begin(self) -> None:
        """Make the folder, and exclude it from version control and backups.

        A link is not followed: a project that was just cloned could make it lead anywhere.
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
            config.release and config.release.number,
            sorted(config.ops.items()),
            [(path, self._digest(path)) for path in Models(config.root, config.models).files()],
            part.mend,
            part.most,
            part.paths,
            part.variant,
            part.locale,
        )
        return self.folder / f"{blake2b(repr(settings).encode(), digest_size=16).hexdigest()}.json"

    def _holds(self, part: Part, outcome: Outcome) -> bool:
        """Whether it concerns only the project, and everything that it depends on is unchanged."""
        if not all(path in part.paths or _is_inside(part.config, path) for path in paths_in(outcome)):
            return False
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


def _is_inside(config: Config, path: str) -> bool:
    """Whether a file is one of the project's, after following links, so that its text may be shown."""
    real = os.path.realpath(path)
    folders = (config.root, *(config.root / folder for folder in config.src))
    return any(Path(real).is_relative_to(os.path.realpath(folder)) for folder in folders)


_ours = re.compile(r"[0-9a-f]{32}\.json|gradguard-\w+\.new").fullmatch


def _checksum(body: bytes) -> str:
    return blake2b(body, digest_size=16).hexdigest()


@cache
def _self() -> str:
    """What distinguishes this GradGuard from another: the files of the installed package."""
    package = Path(__file__).parents[1]
    files = sorted(path for suffix in ("*.py", "*.json") for path in package.rglob(suffix))
    stamps = [(str(path.relative_to(package)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return blake2b(repr(stamps).encode(), digest_size=16).hexdigest()
