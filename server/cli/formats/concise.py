"""One line for each finding: `path:line:column: CODE severity: headline`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from ..places import visible

if TYPE_CHECKING:
    from ..places import Results


def write(results: Results, out: TextIO) -> None:
    """Write the findings that no comment silences."""
    for found in results.active:
        place, rule = results.region(found), f"{found.rule.code} {found.severity.label}"
        print(f"{place}: {rule}: {visible(found.words.headline)}", file=out)
