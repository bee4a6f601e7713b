"""Baselines: a file of known findings, which are left for later.

A finding is known by its fingerprint, so that it stays known when lines above it come and go.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..workspace.reading import read_regular_file
from .places import Results, shown

if TYPE_CHECKING:
    from ..workspace.findings import Found

VERSION = 1


def write(path: str, results: Results) -> None:
    """Write the findings that no comment silences. Raises ConfigError if the file can't be written."""
    from ..workspace.config import ConfigError

    known = {
        fingerprint: f"{shown(found.path)}: {found.code} {found.message}"
        for found, fingerprint in zip(results.findings, results.fingerprints(), strict=True)
        if not found.suppressed
    }
    text = json.dumps({"version": VERSION, "findings": dict(sorted(known.items(), key=lambda item: item[1]))}, indent=2)
    try:
        Path(path).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(error.strerror or str(error), Path(path)) from None


def leave_out(path: str, results: Results) -> int:
    """Remove the findings that the baseline has, and return their number. Raises ConfigError if it can't be read."""
    known = _read(Path(path))
    kept: list[Found] = []
    left = 0
    for found, fingerprint in zip(results.findings, results.fingerprints(), strict=True):
        if fingerprint in known and not found.suppressed:
            left += 1
        else:
            kept.append(found)
    results.findings = kept
    return left


def _read(path: Path) -> frozenset[str]:
    """The fingerprints in a baseline."""
    from ..workspace.config import ConfigError

    try:
        data = json.loads(read_regular_file(path))
        if data["version"] != VERSION:
            raise ConfigError(f"is a baseline of another version ({data['version']})", path)
        return frozenset(data["findings"])
    except OSError as error:
        raise ConfigError(error.strerror or str(error), path) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ConfigError("is no baseline, as --write-baseline makes it", path) from None
