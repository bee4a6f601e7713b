"""workspace/diagnostic: the problems of all files of the workspace, where the user wants to see more than open files.

A client that does not ask for them is sent them. `gradguard/checkWorkspace`, a request of our own without params,
checks all files, shows what is wrong in them until settings change, and answers {files: integer, problems: integer}.

Closed files count as they are on the disk. They are checked as `gradguard check` does, with what was found before
where that still holds, in a thread of their own, which waits while an open document is analysed. Open documents have
what their own analysis says.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from ..analyses.domain.paths import Unwanted
from ..rules.messages import say
from ..rules.rule import Severity
from ..workspace.batch import Group, Means, check_all
from ..workspace.cache import Cache
from ..workspace.config import ConfigError
from ..workspace.files import find_files
from .analysis import file_settings, least
from .diagnostics import of_closed, present, publish_closed, result_id
from .documents import path_of, uri_of
from .memory import Recalled, folder
from .progress import asked_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..rules.messages import Locale
    from ..workspace.batch import Documents as Texts
    from ..workspace.findings import Found
    from .configuration import Settings
    from .server import Server

Report = types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport
Stamps = dict[str, tuple[int, int]]

METHOD = "gradguard/checkWorkspace"

POLITE = 0.02
"""seconds between two looks at whether open documents still keep the machine busy"""


def register(server: Server) -> None:
    """Serve the diagnostics of the workspace."""
    server.feature(types.WORKSPACE_DIAGNOSTIC)(workspace_diagnostic)
    server.feature(METHOD)(check_workspace)


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in the files at `paths`, and what went wrong with ourselves."""

    recalled: Recalled
    paths: Sequence[str]
    problems: Sequence[str]


NOTHING = Checked(Recalled([], {}), [], [])


class Workspace:
    """The last check of the workspace's files, good for as long as none of them changes."""

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
        """Check anew the next time: settings have changed, or files have come or gone."""
        self._checked = None
        self._changes += 1

    def stop(self) -> None:
        """End what is going on, soon."""
        for stop in self._stops:
            stop.set()

    async def check(self, ls: Server, on_files: Callable[[int, int], None]) -> Checked:
        """Return what is wrong in all projects. Raises ConfigError.

        What is found on the way of a check that is cancelled is kept on the disk, as far as there is a place for it.
        """
        async with self._busy:
            checked = self._checked
            if checked is None or self._stamps != await asyncio.to_thread(_stamps, self._stamps):
                changes = self._changes
                checked = await self._run(ls, on_files)
                self._stamps = await asyncio.to_thread(_stamps, checked.paths)
                self._checked = checked if changes == self._changes else None
            return checked

    async def _run(self, ls: Server, on_files: Callable[[int, int], None]) -> Checked:
        """Check in a thread that ends with this: a part of a project stays parsed as long as its thread lives."""
        stop = threading.Event()
        self._stops.add(stop)

        def wanted() -> bool:
            while ls.documents.is_busy and not stop.is_set():
                time.sleep(POLITE)
            return not stop.is_set()

        thread = ThreadPoolExecutor(1, thread_name_prefix="gradguard-workspace")
        arguments = ls.settings, ls.folders(), ls.texts.locale, wanted, on_files
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

    `on_files` hears how many of them are done. Raises ConfigError for a configuration that cannot be used, and Unwanted
    soon after `wanted` says so.
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
    """A finding in a notebook that says itself where: the client knows no cells of a notebook that isn't open."""
    notebook = documents[found.path].notebook
    if notebook is None:
        return found
    cell, line = notebook.place(found.span.start_line)
    message = f"{say('cell-line', locale, cell=cell, line=line + 1)}: {found.message}"
    return replace(found, words=replace(found.words, message=message))


async def workspace_diagnostic(ls: Server, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    """Answer with a report for each file: whole, or unchanged where the client has it already.

    With a token for partial results the reports are sent on the way, a hundred at a time.
    """
    checked = NOTHING
    if ls.checks_all:
        async with asked_for(ls, params.work_done_token, ls.texts("checking")) as on_files:
            checked = await _checked(ls, on_files)
    known = {path_of(item.uri): item.value for item in params.previous_result_ids}
    reports = list(_reports(ls, checked, known))
    if params.partial_result_token is None:
        return types.WorkspaceDiagnosticReport(reports)
    for start in range(0, len(reports), 100):
        part = types.WorkspaceDiagnosticReport(reports[start : start + 100])
        ls.progress(types.ProgressParams(params.partial_result_token, part))
    return types.WorkspaceDiagnosticReport([])


async def check_workspace(ls: Server, params: object) -> dict[str, int]:
    """Check all files, show what is wrong in them, and answer how many problems there are in how many files."""
    checked = await _checked(ls, lambda done, of: None)
    ls.closed_files.asked = True
    ls.refresh()
    told = _told(ls, checked)
    shown = (_shown(ls, path, told) for path in checked.paths)
    return {"files": len(checked.paths), "problems": sum(map(len, shown))}


async def push(ls: Server) -> None:
    """Send a client that does not ask what is wrong in all files, if the user wants to see them."""
    try:
        ls.closed_files.told = _told(ls, await _checked(ls, lambda done, of: None)) if ls.checks_all else {}
    except JsonRpcRequestCancelled:  # the server is shutting down
        return
    publish_closed(ls)


async def _checked(ls: Server, on_files: Callable[[int, int], None]) -> Checked:
    """Check all files; what goes wrong with that is logged."""
    try:
        checked = await ls.closed_files.check(ls, on_files)
    except ConfigError as error:
        ls.report_problem(str(error))
        return NOTHING
    for problem in checked.problems:
        ls.report_problem(problem)
    return checked


def _told(ls: Server, checked: Checked) -> dict[str, list[types.Diagnostic]]:
    return present(checked.recalled, ls.documents, ls.client_capabilities, ls.texts.locale)


def _shown(ls: Server, path: str, told: dict[str, list[types.Diagnostic]]) -> list[types.Diagnostic]:
    """Return what is shown of a file: of an open one what its own analysis says."""
    document = ls.documents.at(path)
    return told.get(uri_of(path), []) if document is None else list(document.shown)


def _reports(ls: Server, checked: Checked, known: dict[str, str]) -> Iterator[Report]:
    """Yield a report for each file that was checked, that an open program tells of, or that the client knows of."""
    told = of_closed(ls) | _told(ls, checked)
    for path in dict.fromkeys((*checked.paths, *map(path_of, told), *known)):
        document = ls.documents.at(path)
        uri, version = (document.uri, document.version) if document else (uri_of(path), None)
        items = _shown(ls, path, told)
        name = result_id(items)
        if known.get(path) == name:
            yield types.WorkspaceUnchangedDocumentDiagnosticReport(uri, name, version)
        else:
            yield types.WorkspaceFullDocumentDiagnosticReport(uri, items, version, result_id=name)


def _stamps(paths: Iterable[str]) -> Stamps:
    """Return what tells whether the files have changed; a file that is gone has no stamp."""
    stamps: Stamps = {}
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue
        stamps[path] = status.st_mtime_ns, status.st_size
    return stamps
