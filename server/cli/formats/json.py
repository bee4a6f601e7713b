"""An array of objects, one for each finding; everything counts from 1, and `end` is exclusive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from ..places import Region, Results, as_json, relative

if TYPE_CHECKING:
    from ...fixes.edit import Fix
    from ...workspace.findings import Found


def write(results: Results, out: TextIO) -> None:
    """Write the findings that no comment silences, with their fixes."""
    out.write(as_json([as_object(found, results) for found in results.active]))


def as_object(found: Found, results: Results) -> dict[str, Any]:
    """One finding as plain data."""
    return {
        **_place(results.region(found)),
        "code": found.rule.code,
        "name": found.rule.name,
        "kind": found.kind,
        "severity": found.severity.label,
        "message": found.message,
        "related": [{**_place(results.region(place)), "message": place.message} for place in found.related],
        "fixes": [_fix(fix, results) for fix in results.fixes(found)],
    }


def _fix(fix: Fix, results: Results) -> dict[str, Any]:
    edits = [{**_place(results.edit_region(edit)), "text": edit.text} for edit in fix.edits]
    return {"title": fix.title, "safety": fix.safety, "edits": edits}


def _place(region: Region) -> dict[str, Any]:
    """Path and range; in a notebook also the cell that the lines are numbered in."""
    cell = {} if region.cell is None else {"cell": region.cell}
    return {"path": relative(region.path), **cell, "range": {"start": _point(region.start), "end": _point(region.end)}}


def _point(point: tuple[int, int]) -> dict[str, int]:
    return {"line": point[0], "column": point[1]}
