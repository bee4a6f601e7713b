"""One JSON object a line, as in `json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from ..places import as_json
from .json import as_object

if TYPE_CHECKING:
    from ..places import Results


def write(results: Results, out: TextIO) -> None:
    """Write the findings that no comment silences, each as soon as its fixes are known."""
    for found in results.active:
        print(as_json(as_object(found, results), indent=None), end="", file=out, flush=True)
