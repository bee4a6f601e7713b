"""Diagnostics: pushed after every analysis, or pulled by clients that prefer to ask."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.capabilities import get_capability

from .convert import Text
from .documents import uri_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..syntax.positions import Encoding
    from ..workspace.project import Finding
    from .analysis import Analysis
    from .documents import Document
    from .server import Server

_JSON = get_converter()


def register(server: Server) -> None:
    """Serve diagnostics to clients that ask for them; `publish` pushes them to the others."""
    options = types.DiagnosticOptions(
        identifier="gradguard", inter_file_dependencies=True, workspace_diagnostics=True, work_done_progress=True
    )
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(document_diagnostic)


def pulls(capabilities: types.ClientCapabilities) -> bool:
    """Whether the client asks for diagnostics itself."""
    return get_capability(capabilities, "text_document.diagnostic", None) is not None


# -- from findings to LSP -------------------------------------------------------------------------


def present(
    analysis: Analysis,
    path: str,
    encoding: Encoding,
    capabilities: types.ClientCapabilities,
) -> list[types.Diagnostic]:
    """Return the findings in `path` that no comment silences, as LSP diagnostics."""
    findings = [finding for finding in analysis.findings if finding.path == path and not finding.suppressed]
    paths = {path, *(place.path for finding in findings for place in finding.related)}
    texts = {one: Text(analysis.texts[one], encoding) for one in paths} if findings else {}
    return [convert(finding, texts, capabilities) for finding in findings]


def convert(finding: Finding, texts: Mapping[str, Text], capabilities: types.ClientCapabilities) -> types.Diagnostic:
    """Return a finding as an LSP diagnostic, with what the client can show of it.

    `texts` has the files of the finding and its related places.
    """
    client = f"text_document.{'diagnostic' if pulls(capabilities) else 'publish_diagnostics'}"
    described = get_capability(capabilities, f"{client}.code_description_support", False)
    related = get_capability(capabilities, f"{client}.related_information", False)
    tags = get_capability(capabilities, f"{client}.tag_support.value_set", None) or ()
    unnecessary = types.DiagnosticTag.Unnecessary
    return types.Diagnostic(
        range=texts[finding.path].range(finding.span),
        severity=types.DiagnosticSeverity(finding.severity),
        code=finding.rule.code,
        code_description=types.CodeDescription(finding.rule.url) if described else None,
        source="gradguard",
        message=finding.message,
        tags=[unnecessary] if finding.rule.kind is None and unnecessary in tags else None,
        related_information=[
            types.DiagnosticRelatedInformation(
                types.Location(uri_of(place.path), texts[place.path].range(place.span)), place.message
            )
            for place in finding.related
        ]
        if related
        else None,
    )


# -- pushing --------------------------------------------------------------------------------------


def publish(ls: Server, document: Document, diagnostics: list[types.Diagnostic]) -> None:
    """Send a document's diagnostics to a client that does not ask for them."""
    if not pulls(ls.client_capabilities):
        params = types.PublishDiagnosticsParams(document.uri, diagnostics, document.version)
        ls.text_document_publish_diagnostics(params)


def publish_closed(ls: Server) -> None:
    """Send what is wrong in files that are not open but belong to an open program; take back what no longer is.

    Clients that ask for diagnostics hear of closed files when they ask for the workspace's.
    """
    if pulls(ls.client_capabilities):
        return
    told = {
        path: items
        for document in ls.documents
        for path, items in document.told.items()
        if items and ls.documents.at(path) is None
    }
    gone: dict[str, list[types.Diagnostic]] = {
        path: [] for path in ls.told_of_closed if path not in told and ls.documents.at(path) is None
    }
    for path, items in (gone | told).items():
        if ls.told_of_closed.get(path) != items:
            ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri_of(path), items))
    ls.told_of_closed = told


# -- pulling --------------------------------------------------------------------------------------


async def document_diagnostic(
    ls: Server, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    """Answer with a document's diagnostics, or that they are those of `previous_result_id`."""
    await ls.documents.analysis(params.text_document.uri)
    document = ls.documents.find(params.text_document.uri)
    items = document.shown if document else []
    name = result_id(items)
    if name == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(name)
    return types.RelatedFullDocumentDiagnosticReport(items, result_id=name)


def result_id(items: Iterable[types.Diagnostic]) -> str:
    """Return a name for a list of diagnostics: equal lists have equal names, in every session."""
    text = json.dumps(_JSON.unstructure(list(items)), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
