"""textDocument/documentHighlight: one storage, written where its version moves, read where it is saved or used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

from ..analyses.domain.report import Saved
from .stories import extent, stories_of, story_at, whole_story

if TYPE_CHECKING:
    from ..analyses.domain.report import Report, Site, Story, Write
    from .analysis import Analysis
    from .documents import Document
    from .host import Server

Highlights = list[types.DocumentHighlight]
Kinds = dict[tuple[int, int], types.DocumentHighlightKind]

OPERATORS = frozenset("+-*/@%&|^~<>=")
_WORDS = re.compile(r"\w+")


def register(server: Server) -> None:
    """Serve highlights."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(highlight)


async def highlight(ls: Server, params: types.DocumentHighlightParams) -> Highlights | None:
    """Answer with all places that touch the storage of the tensor at the position; None if the user doesn't want that.

    An editor asks one server after another until one answers (VS Code), or shows all answers. So on a name, unless the
    user wants it otherwise, we leave the answer to servers that know names.
    """
    wanted = ls.settings.highlight
    if wanted == "off":
        return None
    return await ls.documents.ask(
        params.text_document.uri, lambda d, a: _highlight(d, a, params.position, wanted == "all")
    )


def _highlight(document: Document, analysis: Analysis, position: types.Position, names: bool) -> Highlights | None:
    offset = document.text.offset(position)
    on_name = story_at(analysis.report, document.path, offset)
    stories = _used_at(analysis.report, document, offset) if on_name is None else [on_name] if names else []
    kinds: Kinds = {}
    for story in stories:
        _add(kinds, analysis.report, document.path, story)
    return [
        types.DocumentHighlight(document.text.between(*place), kind)
        for place, kind in sorted(kinds.items())
        if document.text.holds(*place)
    ] or None


def _used_at(report: Report, document: Document, offset: int) -> list[Story]:
    """Return stories of the tensors that an operator at an offset changes or saves, or that a method there changes.

    If several operators are around the offset, the innermost counts.
    """
    word = _word(document, offset)
    found: dict[tuple[int, int], dict[int, Story]] = {}
    for story in report.stories.values():
        events: tuple[Write | Saved, ...] = (*story.writes, *story.saves)
        for event in events:
            start, end = extent(event.site)
            if event.site.chunk.path != document.path or not start <= offset <= end:
                continue
            if word == "" if isinstance(event, Saved) else word in ("", _last_name(event.via)):
                found.setdefault((end - start, start), {}).setdefault(story.storage, story)
    return list(found[min(found)].values()) if found else []


def _word(document: Document, offset: int) -> str | None:
    """Return the name at an offset; "" on an operator, None elsewhere."""
    text = document.text
    line = text.line_at(offset)
    content, column = text.line(line), offset - text.at(line, 0)
    for found in _WORDS.finditer(content):
        if found.start() <= column <= found.end():
            return found[0]
    return "" if set(content[max(column - 1, 0) : column + 1]) & OPERATORS else None


def _last_name(via: str) -> str:
    """Return the name of what changes a tensor: `step` of `optimizer.step()`."""
    return via.removesuffix("()").rpartition(".")[2]


def _add(kinds: Kinds, report: Report, path: str, here: Story) -> None:
    """Add all places in a file that touch the storage of a story."""
    for start, end, story in stories_of(report, path):
        if story.storage == here.storage:
            kinds.setdefault((start, end), types.DocumentHighlightKind.Read)
    whole = whole_story(report, path, here)
    for save in whole.saves:
        _put(kinds, save.site, path, types.DocumentHighlightKind.Read)
    for write in whole.writes:
        _put(kinds, write.site, path, types.DocumentHighlightKind.Write)


def _put(
    kinds: Kinds,
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
