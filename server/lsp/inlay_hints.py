"""textDocument/inlayHint: the version where a tensor is saved, and the step where its counter moves.

A hint's tooltip is written when the editor asks for it, where it can wait (`inlayHint/resolve`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcInvalidParams

from .stories import extent, unmarked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Report, Saved, Site, Write
    from .analysis import Analysis
    from .documents import Document
    from .server import Server

Hint = tuple["Site", str, dict[str, object]]
"""where it stands, its label, and what its tooltip says: a text's key and values"""


def register(server: Server) -> None:
    """Serve inlay hints."""
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT)(inlay_hints)
    server.feature(types.INLAY_HINT_RESOLVE)(resolve)


async def inlay_hints(ls: Server, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    """Answer with the hints in the range that the settings ask for."""
    if ls.settings.inlay_hints == "off":
        return []
    return await ls.documents.ask(params.text_document.uri, lambda d, a: _hints(ls, d, a, params.range))


def resolve(ls: Server, hint: types.InlayHint) -> types.InlayHint:
    """Write the tooltip of a hint that `inlay_hints` gave; raises JsonRpcInvalidParams for one that isn't ours."""
    try:
        hint.tooltip = _tooltip(ls, hint.data)
    except (KeyError, TypeError) as error:
        raise JsonRpcInvalidParams("this inlay hint is not GradGuard's") from error
    return hint


def _tooltip(ls: Server, data: Any) -> str:
    return unmarked(ls.texts(**data))


def _hints(ls: Server, document: Document, analysis: Analysis, range_: types.Range) -> list[types.InlayHint]:
    first, last = document.text.offset(range_.start), document.text.offset(range_.end)
    saves, writes = _events(analysis.report, document.path, ls.settings.inlay_hints == "all")
    hints = [
        (extent(site)[1], label, tip)
        for site, label, tip in (*_save_hints(ls, saves), *_write_hints(ls, writes))
        if first <= extent(site)[1] <= last
    ]
    return [_hint(ls, document, *hint) for hint in sorted(hints, key=lambda hint: hint[0])]


def _hint(ls: Server, document: Document, offset: int, label: str, tip: dict[str, object]) -> types.InlayHint:
    """Return a hint as the client can take it: without the tooltip where it asks for that later."""
    later = get_capability(ls.client_capabilities, "text_document.inlay_hint.resolve_support.properties", None) or ()
    lazy = "tooltip" in later
    return types.InlayHint(
        document.text.position(offset),
        label,
        tooltip=None if lazy else _tooltip(ls, tip),
        padding_left=True,
        data=tip if lazy else None,
    )


def _events(report: Report, path: str, everything: bool) -> tuple[dict[Site, set[Saved]], dict[Site, set[Write]]]:
    """Collect saves and changes in `path` by site; unless `everything`, changes of saved tensors alone."""
    saves: dict[Site, set[Saved]] = {}
    writes: dict[Site, set[Write]] = {}
    for story in report.stories.values():
        for save in story.saves:
            if save.site.chunk.path == path:
                saves.setdefault(save.site, set()).add(save)
        if story.saves or everything:
            for write in story.writes:
                if write.site.chunk.path == path:
                    writes.setdefault(write.site, set()).add(write)
    return saves, writes


def _save_hints(ls: Server, saves: dict[Site, set[Saved]]) -> Iterator[Hint]:
    """Yield a hint for each site whose saves have one known version; a loop's many versions say nothing."""
    for site, some in saves.items():
        versions = {save.version for save in some}
        if len(versions) == 1 and None not in versions:
            version = versions.pop()
            ops = ", ".join(sorted({save.op for save in some}))
            yield (
                site,
                ls.texts("hint-saved", version=version),
                {"key": "hint-saved-tip", "op": ops, "version": version},
            )


def _write_hints(ls: Server, writes: dict[Site, set[Write]]) -> Iterator[Hint]:
    """Yield a hint for each site whose changes make one known step."""
    for site, some in writes.items():
        steps = {(write.before, write.after) for write in some}
        before, after = next(iter(steps))
        if len(steps) == 1 and before is not None and after is not None:
            label = ls.texts("hint-silent" if before == after else "hint-changed", before=before, after=after)
            key = "event-silent" if before == after else "hint-changed-tip"
            yield site, label, {"key": key, "via": next(iter(some)).via, "before": before, "after": after}
