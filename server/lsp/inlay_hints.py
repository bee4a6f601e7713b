"""textDocument/inlayHint: the version where a tensor is saved, and the step where its counter moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from .stories import extent, unmarked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.report import Report, Saved, Site, Write
    from .analysis import Analysis
    from .documents import Document
    from .server import Server
    from .texts import Texts


def register(server: Server) -> None:
    """Serve inlay hints."""
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT)(inlay_hints)


async def inlay_hints(ls: Server, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    """Answer with the hints in the range that the settings ask for."""
    if ls.settings.inlay_hints == "off":
        return []
    return await ls.documents.ask(params.text_document.uri, lambda d, a: _hints(ls, d, a, params.range))


def _hints(ls: Server, document: Document, analysis: Analysis, range_: types.Range) -> list[types.InlayHint]:
    first, last = document.text.offset(range_.start), document.text.offset(range_.end)
    everything = ls.settings.inlay_hints == "all"
    saves, writes = _events(analysis.report, document.path, everything)
    hints = [
        (extent(site)[1], label, tip)
        for site, label, tip in (*_save_hints(saves, ls.texts), *_write_hints(writes, ls.texts))
        if first <= extent(site)[1] <= last
    ]
    return [
        types.InlayHint(document.text.position(end), label, tooltip=tip, padding_left=True)
        for end, label, tip in sorted(hints, key=lambda hint: hint[0])
    ]


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


def _save_hints(saves: dict[Site, set[Saved]], texts: Texts) -> Iterator[tuple[Site, str, str]]:
    """Yield a hint for each site whose saves have one known version; a loop's many versions say nothing."""
    for site, some in saves.items():
        versions = {save.version for save in some}
        if len(versions) == 1 and None not in versions:
            version = versions.pop()
            ops = ", ".join(sorted({save.op for save in some}))
            yield site, texts("hint-saved", version=version), texts("hint-saved-tip", op=ops, version=version)


def _write_hints(writes: dict[Site, set[Write]], texts: Texts) -> Iterator[tuple[Site, str, str]]:
    """Yield a hint for each site whose changes make one known step."""
    for site, some in writes.items():
        steps = {(write.before, write.after) for write in some}
        before, after = next(iter(steps))
        if len(steps) == 1 and before is not None and after is not None:
            label = texts("hint-silent" if before == after else "hint-changed", before=before, after=after)
            via = next(iter(some)).via
            tip = texts("event-silent" if before == after else "hint-changed-tip", via=via, before=before, after=after)
            yield site, label, unmarked(tip)
