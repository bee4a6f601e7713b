"""Diagnostics: pushed after every analysis, or pulled by clients that prefer to ask."""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.capabilities import get_capability

from ..rules.wording import brief, seen
from ..workspace.seen import found_by_check
from .memory import Recalled
from .places import Places
from .progress import asked_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..rules.messages import Locale
    from ..workspace.findings import Found
    from ..workspace.project import Finding
    from ..workspace.seen import Seen
    from .analysis import Analysis
    from .documents import Document, Documents
    from .host import Server

_JSON = get_converter()

LISTED = "relatedInformationListed"
"""experimental capability of clients that list related places under each message, which need not repeat them"""


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
    analysis: Analysis | Recalled, documents: Documents, capabilities: types.ClientCapabilities, locale: Locale
) -> dict[str, list[types.Diagnostic]]:
    """Return the findings that no comment silences as LSP diagnostics, by URI."""
    places = Places(analysis.texts, documents)
    found: dict[str, list[types.Diagnostic]] = {}
    ran = [] if isinstance(analysis, Recalled) else analysis.seen
    pairs = [(one, found_by_check(one, analysis.findings)) for one in ran]
    confirmed = {id(same): one for one, same in pairs}
    for finding in analysis.findings:
        if not finding.suppressed:
            uri, diagnostic = convert(finding, places, capabilities, locale)
            if (one := confirmed.get(id(finding))) is not None:
                diagnostic.message = _when(one, diagnostic.message, True, locale)
            found.setdefault(uri, []).append(diagnostic)
    for one, same in pairs:
        if same is None:
            uri, diagnostic = convert(one.found, places, capabilities, locale)
            diagnostic.message = _when(one, diagnostic.message, False, locale)
            found.setdefault(uri, []).append(diagnostic)
    return found


def _when(one: Seen, message: str, confirmed: bool, locale: Locale) -> str:
    """A message, with the time at which a run saw the failure."""
    return seen(message, time.strftime("%Y-%m-%d %H:%M", time.localtime(one.sighting.time)), confirmed, locale)


def convert(
    finding: Finding | Found, places: Places, capabilities: types.ClientCapabilities, locale: Locale
) -> tuple[str, types.Diagnostic]:
    """Return a finding as an LSP diagnostic, with as much as the client can show, and its URI."""
    client = f"text_document.{'diagnostic' if pulls(capabilities) else 'publish_diagnostics'}"
    described = get_capability(capabilities, f"{client}.code_description_support", False)
    related = get_capability(capabilities, f"{client}.related_information", False)
    listed = related and isinstance(capabilities.experimental, dict) and capabilities.experimental.get(LISTED) is True
    tags = get_capability(capabilities, f"{client}.tag_support.value_set", None) or ()
    unnecessary = types.DiagnosticTag.Unnecessary
    here = places.location(finding.path, finding.span)
    diagnostic = types.Diagnostic(
        range=here.range,
        severity=types.DiagnosticSeverity(finding.severity),
        code=finding.rule.code,
        code_description=types.CodeDescription(finding.rule.address(locale)) if described else None,
        source="gradguard",
        message=brief(finding.words, locale) if finding.related and listed else finding.message,
        tags=[unnecessary] if finding.rule.kind is None and unnecessary in tags else None,
        related_information=[
            types.DiagnosticRelatedInformation(places.location(place.path, place.span), place.message)
            for place in finding.related
        ]
        if related
        else None,
    )
    return here.uri, diagnostic


# -- pushing --------------------------------------------------------------------------------------


def publish(ls: Server, document: Document) -> None:
    """Send a document's diagnostics, if they have changed, to a client that does not ask for them.

    Those that were found in an earlier text come without a version.
    """
    if pulls(ls.client_capabilities):
        return
    told = {
        uri: (None if document.behind else version, document.told.get(uri, []))
        for uri, version in document.faces.items()
    }
    gone: dict[str, tuple[int | None, list[types.Diagnostic]]] = {
        uri: (None, []) for uri in document.sent if uri not in told
    }
    for uri, (version, items) in (gone | told).items():
        if document.sent.get(uri) != (version, items):
            ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))
    document.sent = told


def take_back(ls: Server, document: Document) -> None:
    """Clear a document's diagnostics at a client that does not ask for them."""
    if not pulls(ls.client_capabilities):
        for uri, version in document.faces.items():
            ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, [], version))


def publish_closed(ls: Server) -> None:
    """Send the diagnostics of files that are not open, as far as the user wants them; clear those that are gone.

    They belong to an open program or, where the whole workspace is checked, to any file.

    Clients that ask for diagnostics get those of closed files when they ask for the workspace's.
    """
    if pulls(ls.client_capabilities):
        return
    told = {uri: items for uri, items in ls.closed_files.told.items() if items and ls.documents.find(uri) is None}
    told |= of_closed(ls)
    gone: dict[str, list[types.Diagnostic]] = {
        uri: [] for uri in ls.told_of_closed if uri not in told and ls.documents.find(uri) is None
    }
    for uri, items in (gone | told).items():
        if ls.told_of_closed.get(uri) != items:
            ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items))
    ls.told_of_closed = told


def of_closed(ls: Server) -> dict[str, list[types.Diagnostic]]:
    """Return the diagnostics of files that are not open but belong to an open program, by URI."""
    return {
        uri: items
        for document in ls.documents
        for uri, items in document.told.items()
        if items and ls.documents.find(uri) is None
    }


# -- pulling --------------------------------------------------------------------------------------


async def document_diagnostic(
    ls: Server, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    """Answer with a document's diagnostics, or that they are unchanged since `previous_result_id`."""
    uri = params.text_document.uri
    async with asked_for(ls, params.work_done_token, ls.texts("checking")):
        if get_capability(ls.client_capabilities, "workspace.diagnostics.refresh_support", False):
            await ls.documents.something(uri)  # if these are not final, the client is later told to ask again
        else:
            await ls.documents.analysis(uri)
    document = ls.documents.find(uri)
    items = document.seen_from(uri).shown if document else []
    name = result_id(items)
    if name == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(name)
    return types.RelatedFullDocumentDiagnosticReport(items, result_id=name)


def result_id(items: Iterable[types.Diagnostic]) -> str:
    """Return an identifier of a list of diagnostics: equal lists have equal identifiers, in every session."""
    text = json.dumps(_JSON.unstructure(list(items)), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
