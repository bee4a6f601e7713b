"""The tensor that the cursor is on, and the life of its version counter as a page to read.

A page is plain data; `markdown` and `plain` render it for clients with and without Markdown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from ..rules import phrases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..analyses.domain.report import Report, Saved, Site, Story, Write
    from .texts import Texts


@dataclass(slots=True)
class Page:
    """What a hover shows: a title, a table with its header first, and paragraphs."""

    title: str
    table: list[tuple[str, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def story_at(report: Report, path: str, offset: int) -> Story | None:
    """Return the story of the smallest name or attribute at an offset of a file, or None."""
    found = [(end - start, story) for start, end, story in stories_of(report, path) if start <= offset <= end]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def stories_of(report: Report, path: str) -> Iterator[tuple[int, int, Story]]:
    """Yield every story that has a place in `path`, with the offsets of its name there."""
    for story in report.stories.values():
        if story.site.chunk.path == path:
            yield *extent(story.site), story


def whole_story(report: Report, path: str, here: Story) -> Story:
    """Return how a story goes on in `path` after the place where it is told."""
    same = [story for _, _, story in stories_of(report, path) if story.storage == here.storage]
    saves = dict.fromkeys(save for story in same for save in story.saves)
    writes = dict.fromkeys(write for story in same for write in story.writes)
    return replace(here, saves=tuple(saves), writes=tuple(writes))


def extent(site: Site) -> tuple[int, int]:
    """Return the offsets in its file at which a site starts and ends."""
    chunk, start, end = site.chunk, site.node.start, site.node.end
    if chunk.edit is not None:
        start, end = chunk.edit.place(start), chunk.edit.place(end)
    return chunk.offset + start, chunk.offset + end


def life(story: Story, texts: Texts, link: Callable[[Site], str]) -> Page:
    """Write a story as a page: the state, a table of what moved or read the counter, and who shares it.

    `link` returns the text by which the table refers to a site.
    """
    page = Page(_title(story, texts))
    happened = events(story, texts)
    if happened:
        page.table = [(texts("column-version"), texts("column-event"), texts("column-line"))]
        page.table += [(event.version, event.text, link(event.site)) for event in happened]
    else:
        page.notes.append(texts("event-none"))
    if story.aliases:
        page.notes.append(texts("shares", names=", ".join(f"`{name}`" for name in story.aliases)))
    return page


def _title(story: Story, texts: Texts) -> str:
    known = texts("version", version=story.version) if story.version is not None else texts("version-unknown")
    parts = [f"**`{story.name}`**", known]
    if story.dtype or story.shape is not None:
        parts.append(" ".join(filter(None, (story.dtype, _shape(story.shape)))))
    if story.requires_grad is not None:
        parts.append(texts("requires-grad" if story.requires_grad else "no-grad"))
    if story.is_leaf:
        parts.append(texts("leaf"))
    return " · ".join(parts)


def _shape(shape: tuple[int | None, ...] | None) -> str:
    return "" if shape is None else "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


class Event(NamedTuple):
    """A save or a change as the page describes it: its version or step, in words, where, and what it was."""

    version: str
    text: str
    site: Site
    what: Saved | Write


def events(story: Story, texts: Texts) -> list[Event]:
    """Return each save and change, in the order of the versions, without repeats.

    A save comes before the change that leaves its version. What has no number keeps its place at the end.
    """
    ordered = [
        (_order(save.version), 0, Event(number(save.version), _save_text(save, story, texts), save.site, save))
        for save in story.saves
    ] + [
        (_order(write.before), 1, Event(_step(write), _write_text(write, story, texts), write.site, write))
        for write in story.writes
    ]
    ordered.sort(key=lambda event: event[:2])
    return list({event[:3]: event for _, _, event in ordered}.values())


def _order(version: int | None) -> float:
    return float("inf") if version is None else version


def number(version: int | None) -> str:
    """Return a version as text, `?` for an unknown one."""
    return "?" if version is None else str(version)


def _step(write: Write) -> str:
    """Return how far a change moves the version."""
    return "—" if is_silent(write) else f"{number(write.before)} → {number(write.after)}"


def is_silent(write: Write) -> bool:
    """Whether the counter did not see a change."""
    return write.before is not None and write.before == write.after


def _save_text(save: Saved, story: Story, texts: Texts) -> str:
    role = phrases.role(save, texts.locale)
    if save.name is None or save.name == story.name:
        return texts("event-saved", op=save.op, role=role)
    return texts("event-saved-name", op=save.op, role=role, name=save.name)


def _write_text(write: Write, story: Story, texts: Texts) -> str:
    if is_silent(write):
        return texts("event-silent", via=write.via)
    if write.name is None or story.name in (write.name, write.own):
        return texts("event-changed", via=write.via)
    return texts("event-changed-name", via=write.via, name=write.name)


def advice(story: Story, texts: Texts, line_of: Callable[[Site], int]) -> list[str]:
    """Say whether an in-place change here is safe: a leaf raises, a version that someone saved goes stale.

    Saves further down don't matter: they read the changed values. `line_of` returns a site's line, counted from 1.
    """
    now = story.version
    saves = [save for save in story.saves if not _is_below(save.site, story.site, line_of)]
    stale = [save for save in saves if save.version is not None and now is not None and save.version < now]
    fresh = [save for save in saves if save.version == now or None in (save.version, now)]
    said = [texts("stale", op=save.op, line=line_of(save.site), saved=save.version, version=now) for save in stale[:1]]
    for save in fresh[:1]:
        at = texts("at-unknown") if save.version is None else texts("at-version", version=save.version)
        said += [texts("unsafe-saved", op=save.op, line=line_of(save.site), at=at)]
    if story.requires_grad and story.is_leaf:
        said.append(texts("unsafe-leaf"))
    return said or [texts("safe")]


def _is_below(site: Site, here: Site, line_of: Callable[[Site], int]) -> bool:
    return site.chunk.path == here.chunk.path and line_of(site) > line_of(here)


def markdown(page: Page) -> str:
    """Write a page in Markdown."""
    blocks = [page.title]
    if page.table:
        header, *rows = (f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in page.table)
        blocks.append("\n".join([header, "|:--|:--|--:|", *rows]))
    return "\n\n".join(blocks + page.notes)


def plain(page: Page) -> str:
    """Write a page as text without markup, the table's columns aligned."""
    blocks = [unmarked(page.title)]
    if page.table:
        rows = [[unmarked(cell) for cell in row] for row in page.table]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        aligned = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
        blocks.append("\n".join(line.rstrip() for line in aligned))
    return "\n\n".join(blocks + [unmarked(note) for note in page.notes])


def unmarked(text: str) -> str:
    """Return Markdown text without emphasis and code marks; of links, only the addresses of pages stay."""
    plain = re.sub(r"\[([^\]]*)\]\((https?:[^)]*|[^)#]*)\)", r"\1: \2", text.replace("**", "").replace("`", ""))
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
