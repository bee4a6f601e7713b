"""Workflow commands of GitHub Actions, which become annotations of the changed lines.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from ..places import Results, relative, visible

if TYPE_CHECKING:
    from ...workspace.findings import Found

_LEVELS = {"error": "error", "warning": "warning", "information": "notice", "hint": "notice"}


def write(results: Results, out: TextIO) -> None:
    """Write the findings that no comment silences."""
    for found in results.active:
        print(_command(found, results), file=out)


def _command(found: Found, results: Results) -> str:
    region = results.file_region(found)
    properties = {
        "title": f"GradGuard ({found.rule.code})",
        "file": relative(found.path).replace("\\", "/"),
        "line": region.start[0],
        "endLine": region.end[0],
    }
    if region.start[0] == region.end[0]:
        # GitHub ignores the columns of an annotation that spans several lines.
        properties |= {"col": region.start[1], "endColumn": region.end[1]}
    listed = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in properties.items())
    message = f"{results.region(found)}: {found.rule.code} {found.message}"
    return f"::{_LEVELS[found.severity.label]} {listed}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    """Percent-encode what would end the command or one of its properties, and show other control characters."""
    text = text.replace("%", "%25")
    for character in "\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return visible(text)
