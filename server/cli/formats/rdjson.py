"""Reviewdog's diagnostic format, for comments in code review.

https://github.com/reviewdog/reviewdog/tree/master/proto/rdf; its columns count bytes of UTF-8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from ..places import Region, Results, as_json, relative

if TYPE_CHECKING:
    from ...fixes.edit import Edit
    from ...workspace.findings import Found, Place

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "information": "INFO", "hint": "INFO"}


def write(results: Results, out: TextIO) -> None:
    """Write the findings that no comment silences, with those fixes that are a single edit of the same file."""
    diagnostics = [_diagnostic(found, results) for found in results.active]
    out.write(as_json({"source": {"name": "gradguard"}, "diagnostics": diagnostics}))


def _diagnostic(found: Found, results: Results) -> dict[str, Any]:
    edits = [fix.edits[0] for fix in results.fixes(found) if len(fix.edits) == 1]
    return {
        "message": found.message,
        "location": _location(found, results),
        "severity": _SEVERITIES[found.severity.label],
        "code": {"value": found.rule.code},
        "suggestions": [_suggestion(edit, results) for edit in edits if edit.path == found.path],
        "relatedLocations": [
            {"message": place.message, "location": _location(place, results)} for place in found.related
        ],
    }


def _location(place: Found | Place, results: Results) -> dict[str, Any]:
    return {"path": relative(place.path).replace("\\", "/"), "range": _range(results.file_region(place), results)}


def _suggestion(edit: Edit, results: Results) -> dict[str, Any]:
    region, text = results.file_edit(edit)
    return {"range": _range(region, results), "text": text}


def _range(region: Region, results: Results) -> dict[str, Any]:
    lines = results.file_lines(region.path)
    first, last = (
        {"line": line, "column": len(lines[line - 1][: column - 1].encode()) + 1}
        for line, column in (region.start, region.end)
    )
    return {"start": first, "end": last}
