"""The files of the workspace that are not open: their last check, which holds until one of them changes."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pygls.exceptions import JsonRpcRequestCancelled

from ..analyses.domain.paths import Unwanted
from ..rules.messages import say
from ..rules.rule import Severity
from ..workspace.batch import Group, Means, check_all
from ..workspace.cache import Cache
from ..workspace.files import find_files
from .analysis import file_settings, least
from .memory import Recalled, folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lsprotocol import types

    from ..rules.messages import Locale
    from ..workspace.batch import Documents as Texts
    from ..workspace.findings import Found
    from .settings import Settings

Stamps = dict[str, tuple[int, int]]

POLITE = 0.02
"""seconds between two looks at whether open documents still keep the machine busy"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What to check, and how: politely, as long as open documents are analysed.

    `on_files` is called with how many files are done, and how many there are.
    """

    settings: Settings
    folders: Sequence[str]
    locale: Locale
    is_busy: Callable[[], bool]
    on_files: Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in the files at `paths`, and our internal errors."""

    recalled: Recalled
    paths: Sequence[str]
    problems: Sequence[str]


NOTHING = Checked(Recalled([], {}), [], [])


class Workspace:
    """The last check of the workspace's files, which holds until one of them changes."""

    def __init__(self) -> None:
        self._checked: Checked | None = None
        self._changes = 0
        self._stamps: Stamps = {}
        self._busy = asyncio.Lock()
        self._stops: set[threading.Event] = set()
        self.asked = False
        """whether the user has asked to see all files, whatever the settings say"""
        self.told: dict[str, list[types.Diagnostic]] = {}
        """what was found last, by URI, for a client that doesn't ask"""

    def forget(self) -> None:
        """Make the next call check again: settings have changed, or files were created or deleted."""
        self._checked = None
        self._changes += 1

    def stop(self) -> None:
        """Make a running check end soon."""
        for stop in self._stops:
            stop.set()

    async def check(self, asked: Asked) -> Checked:
        """Return what is wrong in all projects. Raises ConfigError.

        What a cancelled check has found so far is kept on the disk, if there is a cache.
        """
        async with self._busy:
            checked = self._checked
            if checked is None or self._stamps != await asyncio.to_thread(_stamps, self._stamps):
                changes = self._changes
                checked = await self._run(asked)
                self._stamps = await asyncio.to_thread(_stamps, checked.paths)
                self._checked = checked if changes == self._changes else None
            return checked

    async def _run(self, asked: Asked) -> Checked:
        """Check in a thread of its own: the thread keeps a parsed part of a project as long as it lives."""
        stop = threading.Event()
        self._stops.add(stop)

        def wanted() -> bool:
            while asked.is_busy() and not stop.is_set():
                time.sleep(POLITE)
            return not stop.is_set()

        thread = ThreadPoolExecutor(1, thread_name_prefix="gradguard-workspace")
        arguments = asked.settings, asked.folders, asked.locale, wanted, asked.on_files
        try:
            return await asyncio.get_running_loop().run_in_executor(thread, check_folders, *arguments)
        except Unwanted:
            raise JsonRpcRequestCancelled("the server is shutting down") from None
        finally:
            stop.set()
            self._stops.discard(stop)
            thread.shutdown(wait=False)


def check_folders(
    settings: Settings,
    folders: Sequence[str],
    locale: Locale,
    wanted: Callable[[], bool] = lambda: True,
    on_files: Callable[[int, int], None] = lambda done, of: None,
) -> Checked:
    """Check all files below the folders as they are on the disk, each project by its own configuration.

    `on_files` is called with how many of them are done. Raises ConfigError for a configuration that cannot be used,
    and Unwanted soon after `wanted` says so.
    """

    def go_on() -> None:
        if not wanted():
            raise Unwanted

    files = find_files(folders, file_settings(settings)[0], go_on)
    groups = [Group(config, paths, least(config) or Severity.HINT, locale=locale) for config, paths in files.groups]
    place, done, paths = folder(), 0, list(files)
    cache = Cache(place) if place else None

    def tell(count: int) -> None:
        nonlocal done
        done += count
        on_files(done, len(paths))

    means = Means(cache=(lambda config: cache) if cache else None, on_part=tell, wanted=wanted)
    checked = check_all(groups, means)
    found = [_placed(one, checked.documents, locale) for one in checked.found]
    mentioned = {path for one in found for path in (one.path, *(place.path for place in one.related))}
    texts = {path: checked.documents[path].text for path in mentioned}
    problems = [problem.message for problem in checked.problems if problem.internal]
    return Checked(Recalled(found, texts), paths, problems)


def _placed(found: Found, documents: Texts, locale: Locale) -> Found:
    """A finding in a notebook, with its place in the message: the client knows no cells of a closed notebook."""
    notebook = documents[found.path].notebook
    if notebook is None:
        return found
    cell, line = notebook.place(found.span.start_line)
    message = f"{say('cell-line', locale, cell=cell, line=line + 1)}: {found.message}"
    return replace(found, words=replace(found.words, message=message))


def _stamps(paths: Iterable[str]) -> Stamps:
    """Return stamps that show whether the files have changed; a deleted file has no stamp."""
    stamps: Stamps = {}
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue
        stamps[path] = status.st_mtime_ns, status.st_size
    return stamps
