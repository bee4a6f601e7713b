"""textDocument/codeAction: quick fixes, fix all, and the comments that silence a rule.

Only the range is used, because some clients send no diagnostics with the request. If the client supports
`codeAction/resolve`, an edit is computed when the user picks its action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from .diagnostics import convert
from .places import Places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..fixes.edit import Edit
    from ..workspace.project import Finding
    from .analysis import Analysis
    from .convert import Text
    from .documents import Document
    from .host import Server

QUICK_FIX = types.CodeActionKind.QuickFix
FIX_ALL = "source.fixAll.gradguard"


def register(server: Server) -> None:
    """Serve code actions."""
    options = types.CodeActionOptions(code_action_kinds=[QUICK_FIX, FIX_ALL], resolve_provider=True)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_actions)
    server.feature(types.CODE_ACTION_RESOLVE)(resolve)


async def code_actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction] | None:
    """Answer with the actions for the problems that touch the range."""
    return await ls.documents.ask(params.text_document.uri, lambda d, a: list(_actions(ls, d, a, params)))


async def resolve(ls: Server, action: types.CodeAction) -> types.CodeAction:
    """Fill in the edit of an action that `code_actions` returned.

    Raises JsonRpcInvalidParams for an action that isn't ours, JsonRpcContentModified if the text has changed since.
    """
    data = action.data
    if not isinstance(data, dict) or not isinstance(data.get("uri"), str):
        raise JsonRpcInvalidParams("this code action is not GradGuard's")
    action.edit = await ls.documents.ask(data["uri"], lambda d, a: _resolved(ls, d, a, data))
    return action


def _actions(
    ls: Server, document: Document, analysis: Analysis, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    wanted = params.context.only
    here = [
        number
        for number, finding in enumerate(analysis.findings)
        if finding.path == document.path and not finding.suppressed and _touches(document.text, finding, params.range)
    ]
    if _is_wanted(QUICK_FIX, wanted):
        yield from _fix_actions(ls, document, analysis, here)
        yield from _ignore_actions(ls, document, analysis, here)
    if ls.settings.fix_all and _is_wanted(FIX_ALL, wanted) and (wanted or here):
        data = {"uri": document.uri, "version": document.version, "do": "fix-all"}
        yield _lazily(ls, document, analysis, types.CodeAction(ls.texts("fix-all"), FIX_ALL, data=data))


def _fix_actions(
    ls: Server, document: Document, analysis: Analysis, numbers: Iterable[int]
) -> Iterator[types.CodeAction]:
    """Yield the verified fixes of the findings; at most one of them is preferred."""
    preferred = True
    for number in numbers:
        for choice, fix in enumerate(ls.analyser.fixes(analysis, document.path, number)):
            action = types.CodeAction(
                ls.texts("action", title=fix.title),
                QUICK_FIX,
                diagnostics=[_told(ls, analysis, number)],
                is_preferred=True if fix.preferred and preferred else None,
                data=_data(document, "fix", number) | {"fix": choice},
            )
            preferred = preferred and not fix.preferred
            yield _lazily(ls, document, analysis, action)


def _ignore_actions(
    ls: Server, document: Document, analysis: Analysis, numbers: Iterable[int]
) -> Iterator[types.CodeAction]:
    """Yield a suppression for each finding that isn't about suppressions itself, and one for the file."""
    about_code = [number for number in numbers if analysis.findings[number].rule.kind is not None]
    for number in about_code:
        title = ls.texts("ignore-here", code=analysis.findings[number].rule.code)
        told = [_told(ls, analysis, number)]
        data = _data(document, "ignore", number)
        yield _lazily(ls, document, analysis, types.CodeAction(title, QUICK_FIX, told, data=data))
    if about_code:
        data = _data(document, "ignore-file", about_code[0])
        yield _lazily(ls, document, analysis, types.CodeAction(ls.texts("ignore-file"), QUICK_FIX, data=data))


def _told(ls: Server, analysis: Analysis, number: int) -> types.Diagnostic:
    """Return a finding as the diagnostic that the client has."""
    places = Places(analysis.texts, ls.documents)
    return convert(analysis.findings[number], places, ls.client_capabilities, ls.texts.locale)[1]


def _data(document: Document, do: str, number: int) -> dict[str, Any]:
    return {"uri": document.uri, "version": document.version, "do": do, "finding": number}


def _lazily(ls: Server, document: Document, analysis: Analysis, action: types.CodeAction) -> types.CodeAction:
    """Return the action for the client: without its edit if the client resolves edits."""
    client = "text_document.code_action"
    properties = get_capability(ls.client_capabilities, f"{client}.resolve_support.properties", None) or ()
    keeps_data = get_capability(ls.client_capabilities, f"{client}.data_support", False)
    if not (keeps_data and "edit" in properties):
        action.edit = _resolved(ls, document, analysis, action.data or {})
        action.data = None
    return action


def _resolved(ls: Server, document: Document, analysis: Analysis, data: dict[str, Any]) -> types.WorkspaceEdit:
    """Return the edit that an action's data stands for."""
    if data.get("version") != document.version:
        raise JsonRpcContentModified("the document has changed since the code action was offered")
    number = data.get("finding", 0)
    if not isinstance(number, int) or not 0 <= number < max(len(analysis.findings), 1):
        raise JsonRpcInvalidParams("there is no such finding")
    match data.get("do"):
        case "fix":
            edits = ls.analyser.fixes(analysis, document.path, number)[data["fix"]].edits
        case "ignore":
            edits = ls.analyser.ignore(analysis, number)
        case "ignore-file":
            edits = ls.analyser.ignore_file(document.path)
        case "fix-all":
            edits = ls.analyser.fix_all(document.path)
        case unknown:
            raise JsonRpcInvalidParams(f"there is no action {unknown!r}")
    return workspace_edit(ls, analysis, edits)


def workspace_edit(ls: Server, analysis: Analysis, edits: Iterable[Edit]) -> types.WorkspaceEdit:
    """Return edits for the client, with the documents' versions if it supports that."""
    by_uri: dict[str, list[types.TextEdit]] = {}
    places = Places(analysis.texts, ls.documents)
    for edit in edits:
        uri, converted = places.edit(edit)
        by_uri.setdefault(uri, []).append(converted)
    if not get_capability(ls.client_capabilities, "workspace.workspace_edit.document_changes", False):
        return types.WorkspaceEdit(changes=by_uri)
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(_versioned(ls, uri), some) for uri, some in by_uri.items()]
    )


def _versioned(ls: Server, uri: str) -> types.OptionalVersionedTextDocumentIdentifier:
    document = ls.documents.find(uri)
    return types.OptionalVersionedTextDocumentIdentifier(uri, document.faces.get(uri) if document else None)


def _touches(text: Text, finding: Finding, range_: types.Range) -> bool:
    """Whether a range reaches the lines of a finding: users look for light bulbs anywhere on the line."""
    first, last = text.lines(range_)
    return finding.span.start_line <= last and first <= finding.span.end_line


def _is_wanted(kind: str, only: Iterable[str] | None) -> bool:
    """Whether the client asks for a kind. Kinds form a hierarchy: `source` includes `source.fixAll.gradguard`."""
    return only is None or any(kind == one or kind.startswith(f"{one}.") for one in only)
