"""The forms in which findings are written, one file each: `write(results, out)`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from ..places import Results

NAMES = ("full", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "rdjson")

WITH_FIXES = ("json", "json-lines", "sarif", "rdjson")
"""Those that tell of fixes, for which these must be looked for."""

WITH_THE_BEST = ("full", "concise")
"""Those that tell of the best fix of each finding."""


def write(name: str, results: Results, out: TextIO) -> None:
    """Write the results in the form `name`, one of NAMES."""
    module = import_module(f".{name.replace('-', '_')}", __name__)
    module.write(results, out)
