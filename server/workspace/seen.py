"""What a run saw, reported as a check reports: by the same rules, in the same words, with the same fixes.

A sighting's places are lines, and ranges where Python knows them. In the current text they become sites; the sighting
becomes a failure as a replay finds it, and the failure a finding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from ..analyses.domain.report import Failure, Hop, Report, Saved, Site, Write
from ..rules.diagnostic import diagnose
from ..rules.phrases import call_text
from ..syntax import ir
from ..syntax.walk import field_names
from .parts import plain
from .problems import Unreadable
from .project import Finding, finding_of
from .record import PLACE, read

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ..analyses.domain.report import Cause, Kind
    from ..rules.messages import Locale
    from ..syntax.chunks import Source
    from .findings import Found
    from .project import Project
    from .record import SeenSave, SeenWrite, Sighting, Spot

F = TypeVar("F", bound="Finding | Found")


@dataclass(frozen=True, slots=True)
class Seen:
    """A sighting, and the finding that reports it; `confirmed`: a static check finds the same."""

    sighting: Sighting
    found: Found
    confirmed: bool = False


def seen(project: Project, sightings: Iterable[Sighting], locale: Locale = "en") -> Iterator[Seen]:
    """What a run saw, as findings, without those whose file cannot be read or has changed."""
    for sighting in sightings:
        failure = _failure(project, sighting)
        diagnostics = diagnose(Report([failure]), locale) if failure is not None else []
        for diagnostic in diagnostics:
            yield Seen(sighting, plain(finding_of(diagnostic)))


def confirm(project: Project, told: Iterable[Seen], locale: Locale = "en") -> Iterator[Seen]:
    """The same, with the fixes of what a check of the file finds in the same place, if it does."""
    for one in told:
        result = project.check([one.found.path], locale=locale, traced=False)
        same = found_by_check(one, result.findings)
        if same is None:
            yield one
        else:
            fixes = tuple(project.fixes(same, locale))
            yield replace(one, found=replace(one.found, fixes=fixes), confirmed=True)


def last_seen(project: Project, paths: Collection[str], locale: Locale = "en") -> list[Seen]:
    """What the last recorded run saw in these files, where their lines are unchanged; nothing without a record."""
    try:
        record = read(project.root / PLACE)
    except (OSError, ValueError):
        return []
    current = [one for one in record.sightings if all(is_current(project, spot) for spot in _spots(one))]
    return [one for one in seen(project, current, locale) if one.found.path in paths]


def _spots(sighting: Sighting) -> Iterator[Spot]:
    """The places that a finding names."""
    if sighting.spot is not None:
        yield sighting.spot
    if sighting.saved is not None:
        yield sighting.saved.spot
    yield from (write.spot for write in sighting.writes)


def found_by_check(one: Seen, findings: Iterable[F]) -> F | None:
    """What a check found of what was seen: a failure of the same kind, at a statement on the same lines."""
    found = one.found
    places = (found.kind, found.path, found.lines)
    return next((finding for finding in findings if places == (finding.kind, finding.path, finding.lines)), None)


def is_current(project: Project, spot: Spot) -> bool:
    """Whether a place's line is unchanged since the program ran."""
    try:
        source = project.source(spot.path)
    except Unreadable:
        return False
    lines = source.line_starts
    return spot.line < len(lines) and source.line(spot.line).rstrip("\r\n") == spot.text


# -- from places to sites ---------------------------------------------------------------------------


def _failure(project: Project, sighting: Sighting) -> Failure | None:
    """A sighting as a failure of a replay; None where its places are no longer there."""
    backward = _site(project, sighting.spot)
    writes = [one for one in (_write(project, write) for write in sighting.writes) if one is not None]
    lead = next((one for one in writes if sighting.saved and one.before == sighting.saved.version), None)
    lead = lead or (writes[0] if writes else None)
    site = lead.site if lead is not None else backward
    if site is None:
        return None
    kind: Kind = sighting.kind  # type: ignore[assignment]
    two_places = kind in ("stale-saved", "silent-stale", "freed-graph")
    via, name = _change(site) if lead is None else (lead.via, lead.name)
    hops = [Hop(write.site, "changed", write.name, write.after, write.via) for write in writes if write is not lead]
    hops += _hops(project, sighting)
    return Failure(
        kind=kind,
        cause=_cause(sighting, lead),
        site=site,
        name=sighting.name or name,
        via=via,
        saved=_saved(project, sighting.saved) if kind != "freed-graph" else None,
        write=lead,
        backward=backward if two_places else None,
        hops=tuple(hops),
        detail=_detail(sighting),
    )


def _detail(sighting: Sighting) -> str:
    """What PyTorch's message says besides the kind."""
    if sighting.kind != "inference-tensor":
        return ""
    return "saved" if "saved for backward" in sighting.message else "required" * ("requires_grad" in sighting.message)


def _cause(sighting: Sighting, write: Write | None) -> Cause:
    if sighting.carried:
        return "carried"
    if sighting.kind == "freed-graph":
        return "second"
    stepped = write is not None and write.by == "optimizer"
    if sighting.kind == "stale-saved" and (stepped or (sighting.saved is not None and sighting.saved.leaf)):
        return "update"
    return "inplace"


def _hops(project: Project, sighting: Sighting) -> Iterator[Hop]:
    if sighting.kind == "freed-graph" and sighting.saved is not None:
        site = _site(project, sighting.saved.spot)
        if site is not None:
            yield Hop(site, "saved", detail=sighting.saved.op)
    origin = _site(project, sighting.made[-1]) if sighting.made else None
    if origin is not None and sighting.kind == "freed-graph":
        yield Hop(origin, "freed", sighting.name)
    elif origin is not None:
        yield Hop(origin, "view" if "view" in sighting.kind else "built", sighting.name, detail=sighting.made_by)


def _saved(project: Project, save: SeenSave | None) -> Saved | None:
    site = _site(project, save.spot) if save is not None else None
    if save is None or site is None:
        return None
    return Saved(site, save.op, save.role, save.name, save.version, shape=save.shape, dtype=save.dtype)


def _write(project: Project, write: SeenWrite) -> Write | None:
    site = _site(project, write.spot)
    if site is None:
        return None
    via, name = _change(site)
    after = write.after if write.counted else write.before
    return Write(site, via or write.op, name, write.before, after, by="optimizer" if write.optimizer else "user")


def _change(site: Site) -> tuple[str, str | None]:
    """How the text at a site changes a tensor, and what the text calls the tensor."""
    node = site.node.value if isinstance(site.node, ir.ExprStmt) else site.node
    match node:
        case ir.AugAssign():
            return f"{node.op}=", _text(site, node.target)
        case ir.Assign(targets=[ir.Subscript() as target]):
            return "[…] =", _text(site, target.value)
        case ir.Assign(targets=[ir.Attribute() as target]):
            return f".{target.attr} =", _text(site, target.value)
        case ir.Subscript():
            return "[…] =", _text(site, node.value)
        case ir.Call(func=ir.Attribute(attr=attr, value=value)) if attr.endswith("_"):
            return attr, _text(site, value)
        case ir.Call():
            return call_text(site) or "", next((_text(site, a.value) for a in node.args if a.name == "out"), None)
    return "", None


def _text(site: Site, node: ir.Node) -> str | None:
    """The text of an expression, as a name for its value."""
    text = " ".join(site.chunk.text[node.start : node.end].split())
    return text if isinstance(node, (ir.Name, ir.Attribute, ir.Subscript)) else None


def _site(project: Project, spot: Spot | None) -> Site | None:
    """The node of the text at a place; None where the file cannot be read or has no statement there."""
    if spot is None:
        return None
    try:
        source = project.source(spot.path)
    except Unreadable:
        return None
    if spot.line >= len(source.line_starts):
        return None
    return _at(source, spot)


def _at(source: Source, spot: Spot) -> Site | None:
    starts = source.line_starts
    first, start, last, end = spot.range or (spot.line, 0, spot.line, 0)
    if last >= len(starts):
        return None
    begin, stop = starts[first] + start, starts[last] + end
    if spot.range is None:
        line = source.line(spot.line)
        begin += len(line) - len(line.lstrip())
        stop = begin + len(line.strip())
    chunk = next((one for one in reversed(source.chunks) if one.offset <= begin and one.body), None)
    if chunk is None:
        return None
    begin, stop = begin - chunk.offset, stop - chunk.offset
    found: ir.Node | None = None
    todo: list[ir.Node] = list(chunk.body)
    while todo:
        node = todo.pop()
        if (node.start <= begin and stop <= node.end) or (isinstance(node, ir.Stmt) and node.start <= begin < node.end):
            inner = isinstance(node, (ir.Expr, ir.Stmt)) and (isinstance(node, ir.Stmt) or spot.range is not None)
            if inner and (found is None or node.end - node.start <= found.end - found.start):
                found = node
        todo += _children(node)
    if isinstance(found, ir.ExprStmt):
        found = found.value
    return Site(chunk, found) if found is not None else None


def _children(node: ir.Node) -> Iterator[ir.Node]:
    for name in field_names(node):
        value = getattr(node, name)
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, ir.Node):
                yield one
            elif isinstance(one, ir.Params):
                yield from _children(one)  # type: ignore[arg-type]
