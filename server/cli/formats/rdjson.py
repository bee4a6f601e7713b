"""Reviewdog's diagnostic format, for comments in code review.

https://github.com/reviewdog/reviewdog/tree/master/proto/rdf; its columns count bytes of UTF-8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from ..places import Results, as_json, relative

if TYPE_CHECKING:
    from ...fixes.edit import Edit
    from ...workspace.findings import Found, Place

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "information": "INFO", "hint": "INFO"}


def write(results: Results, out: TextIO) -> None:
    """Write the findings that no comment silences, with the fixes that are one edit of the same file."""
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
    span = place.span
    start, end = (span.start_line, span.start_col), (span.end_line, span.end_col)
    return {"path": relative(place.path).replace("\\", "/"), "range": _range(place.path, start, end, results)}


def _suggestion(edit: Edit, results: Results) -> dict[str, Any]:
    lines = results.lines(edit.path)
    text_range = _range(edit.path, lines.position(edit.start), lines.position(edit.end), results)
    return {"range": text_range, "text": edit.text}


def _range(path: str, start: tuple[int, int], end: tuple[int, int], results: Results) -> dict[str, Any]:
    first, last = (
        {"line": line + 1, "column": len(results.lines(path)[line][:column].encode()) + 1}
        for line, column in (start, end)
    )
    return {"start": first, "end": last}
