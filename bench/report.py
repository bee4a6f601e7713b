"""What was measured, as tables, a plot and the page `docs/latency.md`."""

from __future__ import annotations

import os
import platform
import statistics
from dataclasses import dataclass, field
from pathlib import Path

NONE = float("nan")


@dataclass
class Result:
    """What one server took for one file, in milliseconds."""

    opened: float = 0.0
    again: float | None = None
    """opened by a server that finds what an earlier one has kept; None for those that keep nothing"""
    keys: list[float] = field(default_factory=list)
    memory: float = 0.0

    @property
    def median(self) -> float:
        """The median over all keystrokes."""
        return statistics.median(self.keys) if self.keys else NONE

    @property
    def p95(self) -> float:
        """Of twenty keystrokes, nineteen are answered faster."""
        return statistics.quantiles(self.keys, n=20, method="inclusive")[-1] if len(self.keys) > 1 else NONE

    @property
    def slowest(self) -> float:
        """The slowest keystroke."""
        return max(self.keys, default=NONE)


@dataclass(frozen=True)
class Target:
    """The most milliseconds that something may take."""

    opened: float = 1000
    median: float = 30
    p95: float = 100
    slowest: float = 200


TARGET = Target()


def table(results: dict[tuple[str, str], Result]) -> str:
    """The results of files as a table in Markdown."""
    lines = [
        "| file | server | opened | opened again | median | p95 | slowest | memory |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for (file, server), r in results.items():
        again = "" if r.again is None else f"{r.again:.0f} ms"
        lines.append(
            f"| {file} | {server} | {r.opened:.0f} ms | {again} "
            f"| {r.median:.1f} ms | {r.p95:.1f} ms | {r.slowest:.0f} ms | {r.memory:.0f} MiB |"
        )
    return "\n".join(lines)


def crowds(results: dict[str, tuple[float, float]]) -> str:
    """The seconds and the memory that each server took for many files, as a table."""
    rows = [f"| {server} | {took:.1f} s | {memory:.0f} MiB |" for server, (took, memory) in results.items()]
    return "\n".join(["| server | all opened | memory |", "|---|--:|--:|", *rows])


def places(results: dict[tuple[str, str], tuple[Result, Result]]) -> str:
    """What each place took at full speed and at a person's, as a table; what misses its target is bold."""
    lines = [
        "| place | server | opened | median | p95 | slowest | median, 150 ms | p95, 150 ms | slowest, 150 ms | met |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|:-:|",
    ]
    return "\n".join([*lines, *(row(place, server, *both) for (place, server), both in results.items())])


def row(place: str, server: str, fast: Result, slow: Result) -> str:
    """The row of a place and a server."""
    cells = [(max(fast.opened, slow.opened), TARGET.opened)]
    for r in fast, slow:
        cells += [(r.median, TARGET.median), (r.p95, TARGET.p95), (r.slowest, TARGET.slowest)]
    figures = " | ".join(_ms(ms) if ms <= most else f"**{_ms(ms)}**" for ms, most in cells)
    met = "yes" if all(ms <= most for ms, most in cells) else "no"
    return f"| {place} | {server} | {figures} | {met} |"


def _ms(ms: float) -> str:
    return f"{ms:.1f} ms" if ms < 10 else f"{ms:.0f} ms"


def plot(results: dict[tuple[str, str], Result]) -> str:
    """Each keystroke as a point on a logarithmic axis, one row a server and file, as SVG."""
    from math import log10

    width, row, left = 760, 34, 240
    height = row * len(results) + 50

    def x(ms: float) -> float:
        return left + (log10(min(max(ms, 1), 10_000))) / 4 * (width - left - 20)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="12"><rect width="100%" height="100%" fill="white"/>'
    ]
    parts += [
        f'<line x1="{x(ms):.0f}" x2="{x(ms):.0f}" y1="10" y2="{height - 35}" stroke="#ddd"/>'
        f'<text x="{x(ms):.0f}" y="{height - 18}" text-anchor="middle">{ms} ms</text>'
        for ms in (1, 10, 100, 1000, 10_000)
    ]
    for number, ((file, server), r) in enumerate(results.items()):
        y = 10 + row * number + row / 2
        parts.append(f'<text x="{left - 12}" y="{y + 4:.0f}" text-anchor="end">{server}, {Path(file).name}</text>')
        parts += [f'<circle cx="{x(ms):.1f}" cy="{y:.0f}" r="3" fill="#3367d6" fill-opacity="0.25"/>' for ms in r.keys]
        parts.append(f'<path d="M{x(r.median):.1f},{y - 10:.0f} v20" stroke="#c00" stroke-width="2"/>')
    return "\n".join([*parts, "</svg>\n"])


def machine() -> str:
    """What kind of machine this is, in general words."""
    return f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


PAGE = """# From a key to its diagnostics

Milliseconds from `textDocument/didChange` to `textDocument/publishDiagnostics` of that version, over standard input and
output, while statements are typed letter by letter into the middle of PyTorch's own sources. All servers ran on
the same machine, one after the other: {machine}. `make bench` measures again.

“Opened” is from `textDocument/didOpen` to the diagnostics, “opened again” the same in a session that finds what an
earlier one has kept on the disk.

{table}

With {many} files of PyTorch open at once, the longest of {folders}:

{crowds}

![each keystroke as a point, the median as a line](latency.svg)

The servers do different things with a text: this compares what a user waits for, not how much is computed meanwhile.

## The places that hurt

The same where much hangs on what is typed, or where there is much beside it: twice, once with each letter typed as soon
as the one before has its diagnostics, and once with a letter every 150 ms, answered or not; the analysis of a text
answers for all letters typed before. The targets are {opened:.0f} ms for opening, {median:.0f} ms for the median of the
keys, {p95:.0f} ms for 19 of 20, and {slowest:.0f} ms for the slowest; what misses one is **bold**, and “met” says
whether nothing does. “Opened” is the slower of both times. The other files of the project are opened at once, just
before the one that is typed into, as an editor does when it starts. A server that knows no notebooks has no row there.
At full speed, nothing more is typed after {longest:.0f} s. What a long analysis finds is shown before
it ends, without a version: such answers are not counted.

{places}
"""
