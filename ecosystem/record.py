"""The last run that was recorded, and what differs from it: `record.json`, a line an alarm, so that a diff tells."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from .check import Alarm, Figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Record = dict[str, Figures]
"""What each package came to, by its name."""


def read_record(path: Path) -> Record:
    """The record; empty if there is none yet."""
    if not path.exists():
        return {}
    return {name: _figures(entry) for name, entry in json.loads(path.read_text(encoding="utf-8")).items()}


def _figures(entry: dict) -> Figures:
    alarms, hints = (tuple(Alarm(**one) for one in entry.get(kind, ())) for kind in ("alarms", "hints"))
    return Figures(**{**entry, "internal": tuple(entry["internal"]), "alarms": alarms, "hints": hints})


def write_record(record: Mapping[str, Figures], path: Path) -> None:
    """Write it, packages in the order of their names."""
    entries = {name: asdict(record[name]) for name in sorted(record)}
    path.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def differences(name: str, before: Figures | None, after: Figures) -> Iterator[str]:
    """What a package has more or less of than in the record, a line each."""
    if before is None:
        yield f"{name}: not recorded yet"
        return
    if before.version != after.version:
        yield f"{name}: {before.version} → {after.version}"
    was, now = ({(*alarm.key, alarm.severity): alarm for alarm in one.alarms} for one in (before, after))
    yield from (f"+ {told(name, now[key])}" for key in now.keys() - was.keys())
    yield from (f"- {told(name, was[key])}" for key in was.keys() - now.keys())
    for what, old, new in (("seconds", before.seconds, after.seconds), ("MB", before.memory, after.memory)):
        if not 1 / MUCH < (new or 1) / (old or 1) < MUCH:
            yield f"{name}: {old:g} → {new:g} {what}"


MUCH = 1.25
"""A factor that a machine's own mood does not explain."""


def told(name: str, alarm: Alarm) -> str:
    """An alarm in a line."""
    return f"{name} {alarm.file}:{alarm.line}: {alarm.rule} {alarm.severity}: {alarm.text}"
