"""gradguard/versionStory: where a tensor's version counter was saved, moved and read, for editors that draw it.

A request of our own, beside LSP. Params are those of a hover (`textDocument`, `position`); the answer is

    {name: string, version: integer | null, places: [{range: Range, kind: "saved" | "changed" | "unseen" | "backward",
     label: string, text: string, certain: boolean}]}

or null off any tensor. The places are those in the document, in the order of its text. `label` is short enough to stand
behind the place, `text` says the same at length; `certain` is false where the version there is not exactly known, or a
`backward()` fails only under an assumption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from lsprotocol.converters import get_converter

from ..analyses.domain.report import Saved
from ..rules import phrases
from .stories import events, extent, is_silent, number, story_at, unmarked, whole_story

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Site, Story, Write
    from .analysis import Analysis
    from .documents import Document
    from .host import Server
    from .texts import Texts

METHOD = "gradguard/versionStory"

_converter = get_converter()


def register(server: Server) -> None:
    """Serve version stories."""
    server.feature(METHOD)(version_story)


async def version_story(ls: Server, params: Any) -> dict[str, Any] | None:
    """Answer with the life of the counter behind the tensor at the position; None off any tensor."""
    position = types.Position(params.position.line, params.position.character)
    return await ls.documents.ask(params.textDocument.uri, lambda d, a: _answer(d, a, position, ls.texts))


def _answer(document: Document, analysis: Analysis, position: types.Position, texts: Texts) -> dict[str, Any] | None:
    here = story_at(analysis.report, document.path, document.text.offset(position))
    if here is None:
        return None
    whole = whole_story(analysis.report, document.path, here)
    places = {
        extent(place[0]): place for place in _places(whole, analysis, texts) if place[0].chunk.path == document.path
    }
    told = [
        {"range": _converter.unstructure(document.text.between(*at)), **told}
        for at, (_, told) in sorted(places.items(), key=lambda place: place[0])
        if document.text.holds(*at)
    ]
    return {"name": here.name, "version": here.version, "places": told}


def _places(story: Story, analysis: Analysis, texts: Texts) -> Iterator[tuple[Site, dict[str, Any]]]:
    """Yield the site of each save and change, and of each backward that they break, with its description."""
    changed = {write.site for write in story.writes}
    for event in events(story, texts):
        kind, label = _label(event.what, texts)
        text = f"{event.version}: {unmarked(event.text)}"
        yield event.site, {"kind": kind, "label": label, "text": text, "certain": "?" not in event.version}
    for finding in analysis.findings:
        failure = finding.diagnostic.failure
        if failure is None or failure.backward is None or failure.write is None:
            continue
        if failure.write.site in changed:
            needed = failure.saved.version if failure.saved else None
            label = texts("label-fails") if needed is None else texts("label-needs", version=needed)
            text, certain = unmarked(finding.message), not failure.assumptions
            yield failure.backward, {"kind": "backward", "label": label, "text": text, "certain": certain}


def _label(what: Saved | Write, texts: Texts) -> tuple[str, str]:
    """Return the kind of an event, and its label."""
    if isinstance(what, Saved):
        role = phrases.role(what, texts.locale)
        return "saved", texts("label-saved", version=number(what.version), op=what.op, role=role)
    if is_silent(what):
        return "unseen", texts("label-unseen", via=what.via)
    return "changed", texts("label-changed", before=number(what.before), after=number(what.after), via=what.via)
