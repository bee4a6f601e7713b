"""workspace/diagnostic: the problems of all files of the workspace, where the user wants to see more than open files.

To a client that does not ask for them, they are sent. `gradguard/checkWorkspace`, a request of our own without params,
checks all files, shows what is wrong in them until settings change, and answers {files: integer, problems: integer}.

Closed files are read from the disk. They are checked as by `gradguard check`, which reuses earlier findings that still
hold. This runs in a separate thread, which waits while an open document is analysed. Open documents get the findings
of their own analysis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from ..workspace.config import ConfigError
from .closed_files import NOTHING, Asked, Checked
from .diagnostics import of_closed, present, publish_closed, result_id
from .documents import path_of, uri_of
from .progress import asked_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .host import Server

Report = types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport

METHOD = "gradguard/checkWorkspace"


def register(server: Server) -> None:
    """Serve the diagnostics of the workspace."""
    server.feature(types.WORKSPACE_DIAGNOSTIC)(workspace_diagnostic)
    server.feature(METHOD)(check_workspace)


async def workspace_diagnostic(ls: Server, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    """Answer with a report for each file: whole, or unchanged where the client has it already.

    If the request has a token for partial results, the reports are streamed, a hundred at a time.
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
    """Send the problems of all files to a client that does not ask for them, if the user wants to see them."""
    try:
        ls.closed_files.told = _told(ls, await _checked(ls, lambda done, of: None)) if ls.checks_all else {}
    except JsonRpcRequestCancelled:  # the server is shutting down
        return
    publish_closed(ls)


async def _checked(ls: Server, on_files: Callable[[int, int], None]) -> Checked:
    """Check all files; log what goes wrong in doing so."""
    try:
        checked = await ls.closed_files.check(
            Asked(ls.settings, ls.folders(), ls.texts.locale, lambda: ls.documents.is_busy, on_files)
        )
    except ConfigError as error:
        ls.report_problem(str(error))
        return NOTHING
    for problem in checked.problems:
        ls.report_problem(problem)
    return checked


def _told(ls: Server, checked: Checked) -> dict[str, list[types.Diagnostic]]:
    return present(checked.recalled, ls.documents, ls.client_capabilities, ls.texts.locale)


def _shown(ls: Server, path: str, told: dict[str, list[types.Diagnostic]]) -> list[types.Diagnostic]:
    """Return the diagnostics of a file; those of an open file come from its own analysis."""
    document = ls.documents.at(path)
    return told.get(uri_of(path), []) if document is None else list(document.shown)


def _reports(ls: Server, checked: Checked, known: dict[str, str]) -> Iterator[Report]:
    """Yield a report for each file that was checked, that an open program has findings in, or that the client knows."""
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
