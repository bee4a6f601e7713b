"""One line for each finding: `path:line:column: CODE severity: headline`; `[*]` before it if there is a fix."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from ..places import visible

if TYPE_CHECKING:
    from ..places import Results


def write(results: Results, out: TextIO) -> None:
    """Write the findings that no comment silences."""
    for found in results.active:
        mark = "[*] " if results.fixes(found) else ""
        told = f"{found.rule.code} {found.severity.label}: {mark}{visible(found.words.headline)}"
        print(f"{results.region(found)}: {told}", file=out)
