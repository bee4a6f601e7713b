"""What earlier sessions found in documents: it is shown at once, until the document is analysed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..workspace.cache import Cache
from ..workspace.files import read_document
from ..workspace.parts import Part, outcome_of, plain
from ..workspace.problems import Unreadable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..rules.messages import Locale
    from ..workspace.config import Config
    from ..workspace.files import Document as File
    from ..workspace.findings import Found
    from ..workspace.project import Finding, Project

FOLDER = "GRADGUARD_CACHE_DIR"
"""environment variable that names another folder for it; set but empty, nothing is kept"""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was found in a document that is unchanged since, and the texts that this points into."""

    findings: Sequence[Found]
    texts: Mapping[str, str]


class Memory:
    """The cache of one user's sessions. An open file may be anyone's, so nothing is written beside it."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._waiting: dict[str, tuple[Project, Locale, File, Sequence[Finding]]] = {}
        self._kept: dict[str, int] = {}
        """the hash of the text for which something was kept, by path"""

    def recall(self, config: Config, locale: Locale, file: File) -> Recalled | None:
        """Return what was found in a document, if it is still valid."""
        if self._folder is None or not _is_saved(file):
            return None
        outcome = Cache(self._folder).get(_part(config, locale, file.path))
        if outcome is None:
            return None
        paths = {file.path, *(found.path for found in outcome.found)}
        paths |= {place.path for found in outcome.found for place in found.related}
        try:
            return Recalled(outcome.found, {path: read_document(path).text for path in paths})
        except Unreadable:
            return None

    def note(self, project: Project, locale: Locale, file: File, findings: Sequence[Finding]) -> None:
        """Note what was found in a document that is a program of its own, to be kept when there is time."""
        if self._folder is not None and self._kept.get(file.path) != hash(file.text):
            self._waiting[file.path] = project, locale, file, findings

    @property
    def waiting(self) -> Collection[str]:
        """The documents for which something was noted."""
        return self._waiting.keys()

    def keep(self, reads: Mapping[str, frozenset[str]]) -> None:
        """Keep what was noted for saved documents; `reads` are the files that each depends on."""
        for path, (project, locale, file, findings) in self._waiting.items():
            if self._folder is not None and path in reads and _is_saved(file):
                outcome = outcome_of(project, [path], reads[path], [plain(finding) for finding in findings])
                Cache(self._folder).put(_part(project.config, locale, path), outcome)
                self._kept[path] = hash(file.text)
        self._waiting.clear()
        if self._folder is not None:
            Cache(self._folder).trim()


def folder() -> Path | None:
    """Return where the user's caches are kept."""
    chosen = os.environ.get(FOLDER)
    if chosen is not None:
        return Path(chosen) if chosen else None
    base = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME")
    return Path(base or Path.home() / ".cache") / "gradguard"


def _part(config: Config, locale: Locale, path: str) -> Part:
    wanted = (config.select, config.ignore, config.min_severity, sorted(config.per_file_ignores.items()))
    return Part(config, (path,), variant=repr(wanted), locale=locale)


def _is_saved(file: File) -> bool:
    """Return whether a document is the same as its file on the disk."""
    if file.notebook is not None or not os.path.isfile(file.path):
        return False
    try:
        return os.path.getsize(file.path) < 4 * len(file.text) + 4 and read_document(file.path).text == file.text
    except (OSError, Unreadable):
        return False
