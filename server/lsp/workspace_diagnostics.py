"""workspace/diagnostic: the problems of all files of the workspace, for clients that ask for them.

Closed files count as they are on the disk and are checked in a thread of their own, project by project, as
`gradguard check` does; open documents have what their own analysis says.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from lsprotocol import types

from ..workspace.config import ConfigError
from .analysis import Analysis, check_folders
from .diagnostics import present, result_id
from .documents import path_of, uri_of
from .progress import asked_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .server import Server

Report = types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport
Stamps = dict[str, tuple[int, int]]


def register(server: Server) -> None:
    """Serve the diagnostics of the workspace."""
    server.feature(types.WORKSPACE_DIAGNOSTIC)(workspace_diagnostic)


class Workspace:
    """The last check of the workspace's files, good for as long as none of them changes."""

    def __init__(self) -> None:
        self._checked: list[Analysis] | None = None
        self._stamps: Stamps = {}
        self._busy = asyncio.Lock()

    def forget(self) -> None:
        """Check anew the next time: settings have changed, or files have come or gone."""
        self._checked = None

    async def check(self, ls: Server) -> list[Analysis]:
        """Return the analyses of all projects. Raises ConfigError."""
        async with self._busy:
            if self._checked is None or self._stamps != await asyncio.to_thread(_stamps, self._stamps):
                self._checked = await asyncio.to_thread(check_folders, ls.settings, ls.folders(), ls.texts.locale)
                paths = [path for analysis in self._checked for path in analysis.reads]
                self._stamps = await asyncio.to_thread(_stamps, paths)
            return self._checked


async def workspace_diagnostic(ls: Server, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    """Answer with a report for each file: whole, or unchanged where the client has it already.

    With a token for partial results the reports are sent on the way, a hundred at a time.
    """
    async with asked_for(ls, params.work_done_token, ls.texts("checking")):
        try:
            analyses = await ls.closed_files.check(ls)
        except ConfigError as error:
            ls.report_problem(str(error))
            analyses = []
    known = {path_of(item.uri): item.value for item in params.previous_result_ids}
    reports = list(_reports(ls, analyses, known))
    if params.partial_result_token is None:
        return types.WorkspaceDiagnosticReport(reports)
    for start in range(0, len(reports), 100):
        part = types.WorkspaceDiagnosticReport(reports[start : start + 100])
        ls.progress(types.ProgressParams(params.partial_result_token, part))
    return types.WorkspaceDiagnosticReport([])


def _reports(ls: Server, analyses: Iterable[Analysis], known: dict[str, str]) -> Iterator[Report]:
    for analysis in analyses:
        told = present(analysis, ls.documents, ls.client_capabilities)
        for path in sorted(analysis.reads):
            document = ls.documents.at(path)
            uri, version = (document.uri, document.version) if document else (uri_of(path), None)
            items = document.shown if document else told.get(uri, [])
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
