"""The figures of a run as a table, and what it found in earnest as the page `docs/found-in-the-wild.md`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .labels import OPEN, RIGHT, WRONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from .check import Alarm, Figures
    from .labels import Label, Labels
    from .packages import Package
    from .record import Record

RATE = 100_000
"""Alarms are counted in so many lines."""

HEAD = ("package", "version", "files", "lines", "seconds", "MB", "errors", "warnings", f"in {RATE:,} lines", "rules")


def rows(record: Mapping[str, Figures]) -> Iterator[tuple[str, ...]]:
    """The table: a row a package, and one for all."""
    for name, figures in sorted(record.items(), key=lambda item: item[0].lower()):
        yield name, figures.version, *_cells([figures])
    yield "all", "", *_cells(record.values())


def _cells(all_figures: Iterable[Figures]) -> tuple[str, ...]:
    all_figures = list(all_figures)
    lines = sum(figures.lines for figures in all_figures)
    alarms = [alarm for figures in all_figures for alarm in figures.alarms]
    severities = Counter(alarm.severity for alarm in alarms)
    rules = Counter(alarm.rule for alarm in alarms)
    return (
        f"{sum(figures.files for figures in all_figures):,}",
        f"{lines:,}",
        f"{sum(figures.seconds for figures in all_figures):,.1f}",
        str(max(figures.memory for figures in all_figures)),
        str(severities["error"]),
        str(severities["warning"]),
        f"{RATE * len(alarms) / max(lines, 1):.2f}",
        ", ".join(f"{rule} × {count}" if count > 1 else rule for rule, count in sorted(rules.items())),
    )


def table(record: Mapping[str, Figures]) -> str:
    """The figures in Markdown."""
    marks = ["---"] * 2 + ["---:"] * (len(HEAD) - 3) + ["---"]
    return "\n".join("| " + " | ".join(row) + " |" for row in (HEAD, tuple(marks), *rows(record)))


def written(record: Record, labels: Labels, finds: Path, packages: Iterable[Package] = ()) -> str:
    """The page: what is right, by the mechanism that makes it fail, what people had reported, then the figures."""
    judged = [
        (name, alarm, label)
        for name in sorted(record, key=str.lower)
        for alarm in record[name].alarms
        if (label := labels.of(name, alarm))
    ]
    verdicts = Counter(label.verdict for _, _, label in judged)
    right: dict[str, list[tuple[str, Alarm, Label]]] = {}
    for one in judged:
        if one[2].find is not None:
            right.setdefault(one[2].find, []).append(one)
    return "\n".join(
        [
            "# Found in the wild",
            "",
            "What `make ecosystem` finds in packages that people use every day. Each alarm has been read and judged",
            "(`ecosystem/labels.toml`); the small program beside it fails on PyTorch by the same mechanism, which the",
            "tests hold. This page is written by that run.",
            "",
            f"Of {len(judged)} alarms {verdicts[RIGHT]} are right, {verdicts[WRONG]} wrong, {verdicts[OPEN]} open.",
            *(line for find, found in right.items() for line in _section(find, found, record, finds)),
            *_reported([package for package in packages if package.old and package.key in record], record),
            "",
            "## The corpus",
            "",
            "Source of wheels from PyPI, of which nothing is ever run. Seconds are those of the processor, memory is",
            "that of the largest process.",
            "",
            table(record),
            "",
        ]
    )


def _section(find: str, found: list[tuple[str, Alarm, Label]], record: Record, finds: Path) -> Iterator[str]:
    """One mechanism: where it is, what happens, and the smallest program."""
    title, program = _parts((finds / f"{find}.py").read_text(encoding="utf-8"))
    yield from ("", f"## {title}", "")
    for name, alarm, label in found:
        version = record[name].version
        yield f"- **{name} {version}**, `{alarm.file}:{alarm.line}` ({alarm.rule}): `{alarm.text}`<br>{label.why}"
    yield from ("", "```python", program, "```")


NEAR = 2
"""lines between the write that was reported and an alarm that tells of it"""


def _reported(packages: Sequence[Package], record: Record) -> Iterator[str]:
    """What is told of the failures that people reported in old releases."""
    if not packages:
        return
    severities = {package.key: _told(package, record[package.key]) for package in packages}
    count = sum(severity is not None for severity in severities.values())
    yield from ("", "## Failures that people reported", "")
    yield from (
        f"Old releases whose training fails on PyTorch 2.13, as somebody wrote and a later release mends. {count} of",
        f"{len(packages)} are told in the package as it was shipped, without the program that trains it.",
        "",
        "| release | the write | needs | told | mended in |",
        "| --- | --- | --- | --- | --- |",
    )
    for package in packages:
        told = severities[package.key] or "—"
        yield (
            f"| [{package.name} {package.version}]({package.report}) | `{package.place}` | {package.needs} | {told} "
            f"| {package.mended} |"
        )


def _told(package: Package, figures: Figures) -> str | None:
    """How sure it is of the failure that was reported; None where it says nothing."""
    file, _, line = package.place.rpartition(":")
    near = (alarm for alarm in figures.alarms if alarm.file == file and abs(alarm.line - int(line)) <= NEAR)
    return min((alarm.severity for alarm in near), default=None)  # an error comes before a warning


def _parts(text: str) -> tuple[str, str]:
    """A program of `finds`: the first line of its docstring, and what follows the docstring."""
    _, words, program = text.split('"""', 2)
    return words.strip().split("\n")[0].rstrip("."), program.strip()
