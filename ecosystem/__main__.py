"""Checks packages that people use, reports what it finds there, and how that differs from the last time.

    python -m ecosystem [NAME …] [--write] [--draw SEED]

Returns 1 if something went wrong, an alarm is not judged yet, or the figures are not what we promise.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .check import check
from .labels import RIGHT, WRONG, read_labels
from .packages import fetch, listed
from .page import RATE, table, written
from .record import differences, read_record, told, write_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Set

    from .check import Figures
    from .labels import Labels

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "found-in-the-wild.md"
MEMORY = 700
"""MB that no process may pass"""
ALARMS = 2.0
"""alarms in `RATE` lines"""
SHARE = 0.8
"""of the alarms that must be right"""
DRAWN = 40
"""hints that a person reads"""


def main() -> int:
    """Fetch, check, compare, judge."""
    options = _options()
    packages = listed(options.packages)
    if unknown := set(options.names) - {package.key for package in packages}:
        sys.exit(f"not in {options.packages}: {', '.join(sorted(unknown))}")
    chosen = [package for package in packages if not options.names or package.key in options.names]
    fetch(chosen, options.into)
    record, labels = read_record(options.record), read_labels(options.labels)
    now: dict[str, Figures] = {}
    for package in chosen:
        figures = now[package.key] = check(package, options.into / package.folder)
        for line in differences(package.key, record.get(package.key), figures):
            print(line, flush=True)
        if options.write:
            record[package.key] = figures
            write_record(record, options.record)
    print(table(now))
    if options.draw is not None:
        print(*_drawn(now, options.draw), sep="\n")
    if options.write:
        options.page.write_text(written(record, labels, HERE / "finds", packages), encoding="utf-8")
    faults = list(_faults(now, labels, {package.key for package in packages if package.old}))
    print(*faults, sep="\n")
    return 1 if faults else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ecosystem", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="these packages only")
    parser.add_argument("--packages", type=Path, default=HERE / "packages.toml", help="the list (%(default)s)")
    parser.add_argument("--into", type=Path, default=HERE / ".packages", help="where their source is (%(default)s)")
    parser.add_argument("--labels", type=Path, default=HERE / "labels.toml", help="what was judged (%(default)s)")
    parser.add_argument("--record", type=Path, default=HERE / "record.json", help="the last run (%(default)s)")
    parser.add_argument("--page", type=Path, default=PAGE, help="what was found in earnest (%(default)s)")
    parser.add_argument("--write", action="store_true", help="write the record and the page")
    parser.add_argument("--draw", type=int, metavar="SEED", help=f"show {DRAWN} of the hints, to judge them")
    return parser.parse_args()


def _drawn(record: Mapping[str, Figures], seed: int) -> Iterator[str]:
    """Some of the hints at random, or all if there are no more."""
    hints = [(name, hint) for name, figures in record.items() for hint in figures.hints]
    yield f"{len(hints)} hints"
    for name, hint in random.Random(seed).sample(hints, min(DRAWN, len(hints))):
        yield f"{told(name, hint)}\n    {hint.message}"


def _faults(record: Mapping[str, Figures], labels: Labels, old: Set[str]) -> Iterator[str]:
    """What is not as it should be. In `old` releases there are failures to be found, so that more alarms are right."""
    for name, figures in record.items():
        yield from (f"{name}: {problem}" for problem in figures.internal)
        if figures.timed_out:
            yield f"{name}: took too long"
        if figures.memory > MEMORY:
            yield f"{name}: {figures.memory} MB, more than {MEMORY}"
    alarms = [(name, alarm, labels.of(name, alarm)) for name, one in record.items() for alarm in one.alarms]
    for name, alarm, label in alarms:
        if label is None:
            yield f"not judged: {told(name, alarm)}\n    {alarm.message}"
        elif label.verdict == WRONG and alarm.severity == "error":
            yield f"an error that is wrong: {told(name, alarm)}"
    lines = sum(figures.lines for name, figures in record.items() if name not in old)
    count = sum(name not in old for name, _, _ in alarms)
    right = sum(label is not None and label.verdict == RIGHT for _, _, label in alarms)
    if count > ALARMS * max(lines / RATE, 1):
        yield f"{count} alarms in {lines:,} lines"
    if right < SHARE * len(alarms):
        yield f"{right} of {len(alarms)} alarms are judged right"


if __name__ == "__main__":
    sys.exit(main())
