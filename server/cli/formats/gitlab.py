"""GitLab's Code Quality report: a list of issues that a merge request shows.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from ..places import Results, as_json, relative

if TYPE_CHECKING:
    from ...workspace.findings import Found

_SEVERITIES = {"error": "critical", "warning": "major", "information": "minor", "hint": "info"}


def write(results: Results, out: TextIO) -> None:
    """Write the findings that no comment silences."""
    prints = results.fingerprints()
    issues = [
        _issue(found, fingerprint, results)
        for found, fingerprint in zip(results.findings, prints, strict=True)
        if not found.suppressed
    ]
    out.write(as_json(issues))


def _issue(found: Found, fingerprint: str, results: Results) -> dict[str, Any]:
    region = results.file_region(found)
    begin, end = ({"line": line, "column": column} for line, column in (region.start, region.end))
    return {
        "description": found.message,
        "check_name": found.rule.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[found.severity.label],
        "location": {"path": relative(found.path).replace("\\", "/"), "positions": {"begin": begin, "end": end}},
    }
