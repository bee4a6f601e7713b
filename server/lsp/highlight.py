"""textDocument/documentHighlight: one storage, written where its version moves, read where it is saved or used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from .stories import extent, stories_of, story_at, whole_story

if TYPE_CHECKING:
    from ..analyses.domain.report import Site
    from .analysis import Analysis
    from .documents import Document
    from .server import Server

Highlights = list[types.DocumentHighlight]


def register(server: Server) -> None:
    """Serve highlights."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(highlight)


async def highlight(ls: Server, params: types.DocumentHighlightParams) -> Highlights | None:
    """Answer with all places that touch the storage of the tensor at the position; None off any tensor."""
    return await ls.documents.ask(params.text_document.uri, lambda d, a: _highlight(d, a, params.position))


def _highlight(document: Document, analysis: Analysis, position: types.Position) -> Highlights | None:
    here = story_at(analysis.report, document.path, document.text.offset(position))
    if here is None:
        return None
    told = [one for one in stories_of(analysis.report, document.path) if one[2].storage == here.storage]
    kinds = {(start, end): types.DocumentHighlightKind.Read for start, end, _ in told}
    whole = whole_story(analysis.report, document.path, here)
    for save in whole.saves:
        _put(kinds, save.site, document.path, types.DocumentHighlightKind.Read)
    for write in whole.writes:
        _put(kinds, write.site, document.path, types.DocumentHighlightKind.Write)
    return [
        types.DocumentHighlight(document.text.between(*place), kind)
        for place, kind in sorted(kinds.items())
        if document.text.holds(*place)
    ]


def _put(
    kinds: dict[tuple[int, int], types.DocumentHighlightKind],
    site: Site,
    path: str,
    kind: types.DocumentHighlightKind,
) -> None:
    """Mark a save or a change; the names inside it are part of it."""
    if site.chunk.path != path:
        return
    start, end = extent(site)
    for place in [place for place in kinds if start <= place[0] and place[1] <= end]:
        del kinds[place]
    kinds[start, end] = kind
