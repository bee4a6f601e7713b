"""Draws the version counters of the programs in `docs/` from real runs: `python -m website.drawings`.

A program is a block of a page with a drawing above it: the left half of the drawing is its text, the right half a lane
for each memory. A circle has the version after its line, a square is where a node of the graph saved the tensor, and
the curve from there ends at the `backward()` that reads it: the version that was saved, and the one that is found.

The drawings are kept with the pages: so a page has them wherever it is read, the site is built without PyTorch, and a
change shows in review. The tests draw them again and compare.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from tests.oracle.client import trace_readings

from . import ROOT
from .blocks import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.answers import Reading, Row

DOCS = ROOT / "docs"

LINE, CHARACTER, LANE, MARGIN, RADIUS = 26, 7.9, 165, 14, 10

STYLE = """
text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #24292f }
.small { font-size: 11px }
.number, .node { fill: #6e7781 }
.lane { stroke: #57606a; stroke-width: 2 }
.version { fill: #fff; stroke: #57606a; stroke-width: 2 }
.moved { stroke: #9a6700; fill: #fff8c5 }
.saved { fill: #0969da }
.read { fill: none; stroke: #0969da; stroke-width: 1.5 }
.wrong { stroke: #cf222e }
text.wrong { fill: #cf222e; stroke: none; font-weight: bold }
text.right { fill: #1a7f37; font-weight: bold }
.band { fill: #f6f8fa }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .number, .node { fill: #8d96a0 }
  .lane, .version { stroke: #8d96a0 }
  .version { fill: #0d1117 }
  .moved { stroke: #d29922; fill: #3b2e05 }
  .saved { fill: #4493f8 }
  .read { stroke: #4493f8 }
  .wrong { stroke: #f85149 }
  text.wrong { fill: #f85149 }
  text.right { fill: #3fb950 }
  .band { fill: #161b22 }
}
"""


def main() -> None:
    """Draw all programs anew."""
    for name, program in programs().items():
        (DOCS / "drawings" / f"{name}.svg").write_text(draw(program), encoding="utf-8")


def programs() -> dict[str, str]:
    """The programs of all pages that have a drawing, by its name.

    Raises ValueError where two pages mean different programs by one drawing.
    """
    found: dict[str, str] = {}
    for path in sorted(DOCS.rglob("*.md")):
        for block in blocks(path.read_text(encoding="utf-8")):
            if (
                block.drawing
                and block.language == "python"
                and found.setdefault(block.drawing, block.text) != block.text
            ):
                raise ValueError(f"{path}:{block.line}: another program has the drawing {block.drawing}")
    return found


def draw(program: str) -> str:
    """The drawing of a program, as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "main.py"
        path.write_text(program, encoding="utf-8")
        rows, readings = trace_readings(path)
    lines = program.rstrip("\n").split("\n")
    left = 36 + CHARACTER * max(map(len, lines)) + 40
    lanes = {storage: left + LANE * n for n, storage in enumerate(_told(rows, readings))}
    width, height = left + LANE * len(lanes), LINE * len(lines) + 2 * MARGIN
    parts = [*_text(lines, width)]
    for storage, x in lanes.items():
        read = [reading for reading in readings if reading.storage == storage]
        parts += _lane(x, [row for row in rows if row.storage == storage], max((one.line for one in read), default=0))
        parts += _readings(x, read)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}">'
    return "\n".join([head, f"<style>{STYLE}</style>", *parts, "</svg>", ""])


def _told(rows: list[Row], readings: list[Reading]) -> list[int]:
    """The memories worth a lane: those that something saved or changed, in the order of the program."""
    saved = {reading.storage for reading in readings}
    moved = {row.storage for row in rows if row.version}
    return [storage for storage in dict.fromkeys(row.storage for row in rows) if storage in saved | moved]


def _y(line: int) -> float:
    return MARGIN + LINE * (line - 0.5)


def _text(lines: list[str], width: float) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        y = _y(number)
        if number % 2:
            yield f'<rect class="band" x="0" y="{y - LINE / 2}" width="{width:.0f}" height="{LINE}"/>'
        yield f'<text class="number" x="24" y="{y + 4}" text-anchor="end">{number}</text>'
        yield f'<text x="36" y="{y + 4}" xml:space="preserve">{escape(line)}</text>'


def _lane(x: float, rows: list[Row], last_read: int) -> Iterator[str]:
    """The versions of one memory, where they move and where a name comes to mean it."""
    end = _y(max(rows[-1].line, last_read))
    yield f'<line class="lane" x1="{x}" x2="{x}" y1="{_y(rows[0].line)}" y2="{end}"/>'
    known: set[str] = set()
    last = None
    by_line: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_line[row.line].append(row)
    for line, here in by_line.items():
        version = max(row.version for row in here)
        new = [row.name for row in here if row.name not in known]
        if new or version != last:
            moved = " moved" if last is not None and version != last else ""
            yield f'<circle class="version{moved}" cx="{x}" cy="{_y(line)}" r="{RADIUS}"/>'
            yield f'<text class="small" x="{x}" y="{_y(line) + 4}" text-anchor="middle">{version}</text>'
        if new:
            yield f'<text x="{x - RADIUS - 5}" y="{_y(line) + 4}" text-anchor="end">{escape(", ".join(new))}</text>'
        known |= set(new)
        last = version


def _readings(x: float, readings: list[Reading]) -> Iterator[str]:
    """Curves from where the memory was saved to where a backward reads it."""
    ends: dict[int, int] = defaultdict(int)
    for n, reading in enumerate(dict.fromkeys(readings)):
        start, end = _y(reading.saved_line), _y(reading.line)
        at, bend = x + RADIUS + 8, x + RADIUS + 26 + 16 * n
        wrong = reading.version != reading.saved_version or not reading.same
        stroke = "read wrong" if wrong else "read"
        yield f'<rect class="saved" x="{at - 4}" y="{start - 4}" width="8" height="8"/>'
        yield f'<path class="{stroke}" d="M {at} {start} C {bend} {start}, {bend} {start}, {bend} {start + LINE / 2} '
        yield f'L {bend} {end - LINE / 2} C {bend} {end}, {bend} {end}, {at} {end}"/>'
        yield f'<text class="small node" x="{bend + 6}" y="{start + 12}">{escape(reading.node)}</text>'
        verdict = _verdict(reading)
        shift = 16 * ends[reading.line]
        ends[reading.line] += 1
        kind = "wrong" if wrong else "right"
        yield f'<text class="{kind}" x="{bend + 6}" y="{end + 4 - shift}">{verdict}</text>'


def _verdict(reading: Reading) -> str:
    """What was saved and what is found: a version that agrees says nothing of the content where nothing counted."""
    if reading.version != reading.saved_version:
        return f"{reading.saved_version} ≠ {reading.version} ✗"
    return f"{reading.saved_version} = {reading.version} " + ("✓" if reading.same else "⚠")


if __name__ == "__main__":
    main()
