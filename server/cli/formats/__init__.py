"""The output formats, one file each: `write(results, out)`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from ..places import Results

NAMES = ("full", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "rdjson")

WITH_FIXES = ("json", "json-lines", "sarif", "rdjson")
"""The formats that show fixes, which must then be searched for."""

WITH_THE_BEST = ("full", "concise")
"""The formats that show the best fix of each finding."""


def write(name: str, results: Results, out: TextIO) -> None:
    """Write the results in the format `name`, one of NAMES."""
    module = import_module(f".{name.replace('-', '_')}", __name__)
    module.write(results, out)
