"""textDocument/inlayHint: behind a line, the version at which it saves a tensor, and the step that a counter moves.

If the editor supports `inlayHint/resolve`, a hint's tooltip is written when the editor asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcInvalidParams

from .stories import extent, unmarked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..analyses.domain.report import Report, Saved, Site, Write
    from .analysis import Analysis
    from .documents import Document
    from .host import Server

T = TypeVar("T")


class Event(NamedTuple):
    """A save or a change to show: where its code is, whose it is, its label, the key and values of its tooltip."""

    start: int
    end: int
    name: str | None
    label: str
    tip: dict[str, object]


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
    """Write the tooltip of a hint that `inlay_hints` returned; raises JsonRpcInvalidParams for one that isn't ours."""
    try:
        hint.tooltip = _tooltip(ls, hint.data)
    except (KeyError, TypeError) as error:
        raise JsonRpcInvalidParams("this inlay hint is not GradGuard's") from error
    return hint


def _tooltip(ls: Server, data: Any) -> str:
    return "\n".join(unmarked(ls.texts(**tip)) for tip in data["tips"])


def _hints(ls: Server, document: Document, analysis: Analysis, range_: types.Range) -> list[types.InlayHint]:
    """Return one hint for each line, behind its text: a hint between the words would move them."""
    text = document.text
    first, last = text.offset(range_.start), text.offset(range_.end)
    saves, writes = _sites(analysis.report, document.path, ls.settings.inlay_hints)
    lines: dict[int, list[Event]] = {}
    for event in sorted((*_save_events(ls, saves), *_write_events(ls, writes)), key=lambda event: event[:2]):
        lines.setdefault(text.line_at(event.end), []).append(event)
    behind = {line: text.at(line, len(text.line(line).rstrip())) for line in lines}
    return [_hint(ls, document, behind[line], lines[line]) for line in sorted(lines) if first <= behind[line] <= last]


def _hint(ls: Server, document: Document, offset: int, events: list[Event]) -> types.InlayHint:
    """Return a hint for the client: without its tooltip if the client asks for that later."""
    later = get_capability(ls.client_capabilities, "text_document.inlay_hint.resolve_support.properties", None) or ()
    lazy = "tooltip" in later
    data = {"tips": [event.tip for event in events]}
    return types.InlayHint(
        document.text.position(offset),
        _label(events),
        tooltip=None if lazy else _tooltip(ls, data),
        padding_left=True,
        data=data if lazy else None,
    )


def _label(events: list[Event]) -> str:
    """Return what is shown of a line, each tensor with its name."""
    of: dict[str | None, list[str]] = {}
    for event in events:
        labels = of.setdefault(event.name, [])
        if event.label not in labels:
            labels.append(event.label)
    told = ((name, ", ".join(labels)) for name, labels in of.items())
    return "; ".join(labels if name is None else f"{name}: {labels}" for name, labels in told)


def _sites(report: Report, path: str, wanted: str) -> tuple[dict[Site, set[Saved]], dict[Site, set[Write]]]:
    """Collect the saves and changes in `path` that are wanted, by site."""
    saves: dict[Site, set[Saved]] = {}
    writes: dict[Site, set[Write]] = {}
    for saved, written in _storages(report):
        if wanted == "changed" and not _is_changed(saved, written):
            continue
        for save in saved:
            if save.site.chunk.path == path:
                saves.setdefault(save.site, set()).add(save)
        for write in written if saved or wanted == "all" else ():
            if write.site.chunk.path == path:
                writes.setdefault(write.site, set()).add(write)
    return saves, writes


def _storages(report: Report) -> Iterable[tuple[set[Saved], set[Write]]]:
    """Return the events of each storage: who saved it, and who changed it."""
    found: dict[int, tuple[set[Saved], set[Write]]] = {}
    for story in report.stories.values():
        saved, written = found.setdefault(story.storage, (set(), set()))
        saved.update(story.saves)
        written.update(story.writes)
    return found.values()


def _is_changed(saved: Iterable[Saved], written: Iterable[Write]) -> bool:
    """Whether the program itself changes what an operation has saved before; an optimizer's step does not count."""
    versions = [save.version for save in saved if save.version is not None]
    return any(
        write.by == "user" and write.before is not None and version <= write.before
        for write in written
        for version in versions
    )


def _save_events(ls: Server, saves: dict[Site, set[Saved]]) -> Iterator[Event]:
    """Yield an event for each site whose saves have one known version; the many versions of a loop are not shown."""
    for site, some in saves.items():
        version = _one(save.version for save in some)
        if version is not None:
            ops = ", ".join(sorted({save.op for save in some}))
            tip = {"key": "hint-saved-tip", "op": ops, "version": version}
            yield Event(*extent(site), _one(save.name for save in some), ls.texts("hint-saved", version=version), tip)


def _write_events(ls: Server, writes: dict[Site, set[Write]]) -> Iterator[Event]:
    """Yield an event for each site whose changes make one known step."""
    for site, some in writes.items():
        before, after = _one(write.before for write in some), _one(write.after for write in some)
        if before is not None and after is not None:
            values: dict[str, object] = {"before": before, "after": after}
            label = ls.texts("hint-silent" if before == after else "hint-changed", **values)
            key = "event-silent" if before == after else "hint-changed-tip"
            tip = {"key": key, "via": next(iter(some)).via, **values}
            yield Event(*extent(site), _one(write.name for write in some), label, tip)


def _one(values: Iterable[T]) -> T | None:
    """Return the value that all have, None if they differ."""
    different = set(values)
    return different.pop() if len(different) == 1 else None
