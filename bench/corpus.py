"""How long a check of whole packages takes, beside other tools, in the same run on the same machine.

    python bench/corpus.py [--write docs/speed.md] [--into FOLDER] [--runs N] [PACKAGE==VERSION | FOLDER …]

Packages come from PyPI as wheels and are unpacked, never installed, imported or run. The floor is the time that
libcst, which GradGuard and TorchFix both parse with, takes to parse the same files in one process.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

PACKAGES = ("timm==1.0.31",)
BIN = Path(sys.executable).parent
TORCHFIX = BIN.parent / "torchfix" / BIN.name / "torchfix"
"""which is in an environment of its own: it wants an older libcst than ours"""
FLOOR = """
import sys, time
from pathlib import Path
import libcst
texts = [path.read_bytes() for path in sorted(Path(sys.argv[1]).rglob("*.py"))]
began, worked = time.perf_counter(), time.process_time()
for text in texts:
    libcst.parse_module(text)
print(time.perf_counter() - began, time.process_time() - worked)
"""
FLOOR_NAME = "libcst.parse_module"


@dataclass
class Timed:
    """A package, and the seconds that each tool took by its name, and those of processors; the best of all runs."""

    name: str
    files: int
    lines: int
    seconds: dict[str, float] = field(default_factory=dict)
    worked: dict[str, float] = field(default_factory=dict)

    def took(self, tool: str, times: tuple[float, float]) -> None:
        """Note a run: how long it took, and how long processors worked on it."""
        seconds, worked = times
        self.seconds[tool] = min(seconds, self.seconds.get(tool, seconds))
        self.worked[tool] = min(worked, self.worked.get(tool, worked))
        print(f"{self.name}: {tool} {seconds:.2f} s, {worked:.2f} s of processors", file=sys.stderr, flush=True)


def unpacked(package: str, into: Path) -> Path:
    """The folder with the package's files, downloaded if it is not there yet."""
    if Path(package).is_dir():
        return Path(package)
    folder = into / package
    if not folder.is_dir():
        with tempfile.TemporaryDirectory() as wheels:
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
            subprocess.run([*pip, "--dest", wheels, package], check=True)
            (wheel,) = Path(wheels).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
    return folder


def measured(package: str, folder: Path, runs: int) -> Timed:
    """Run everything on a package; what is compared takes turns, so that a busy moment of the machine hits all."""
    files = sorted(folder.rglob("*.py"))
    result = Timed(Path(package).name, len(files), sum(path.read_bytes().count(b"\n") for path in files))
    for _ in range(runs):
        floor = subprocess.run([sys.executable, "-c", FLOOR, folder], check=True, capture_output=True, text=True)
        seconds, worked = map(float, floor.stdout.split())
        result.took(FLOOR_NAME, (seconds, worked))
        for jobs in (1, 2):
            with tempfile.TemporaryDirectory() as cache:
                check = [BIN / "gradguard", "check", folder, "--jobs", str(jobs), "--cache-dir", cache]
                result.took(f"gradguard, cold, {processes(jobs)}", timed(check))
                result.took(f"gradguard, warm, {processes(jobs)}", timed(check))
        result.took("TorchFix", timed([TORCHFIX, "--select", "ALL", folder]))
        result.took("ruff, cold", timed([BIN / "ruff", "check", "--no-cache", "--isolated", folder]))
    return result


def processes(jobs: int) -> str:
    """How many processes, in words."""
    return "1 process" if jobs == 1 else f"{jobs} processes"


def timed(command: list[str | Path]) -> tuple[float, float]:
    """Seconds that a command takes, and how many processors work on it; it may find something, but must not fail."""
    began, worked = time.perf_counter(), worked_for_children()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command[0]} failed: {done.stderr[-2000:]}")
    return time.perf_counter() - began, worked_for_children() - worked


def worked_for_children() -> float:
    """Seconds that processors have worked for processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(results: list[Timed]) -> str:
    """The results as tables in Markdown, one a package."""
    parts = []
    for result in results:
        floor, least = result.seconds[FLOOR_NAME], result.worked[FLOOR_NAME]
        parts.append(f"### {result.name}\n\n{result.files:,} files, {result.lines:,} lines\n")
        parts.append("| | seconds | of the floor | seconds of processors | of the floor |\n|---|--:|--:|--:|--:|")
        for tool, took in result.seconds.items():
            worked = result.worked[tool]
            parts.append(f"| {tool} | {took:.2f} | {took / floor:.2f} | {worked:.2f} | {worked / least:.2f} |")
        parts.append("")
    return "\n".join(parts)


def plot(results: list[Timed]) -> str:
    """How long processors worked, as bars on a logarithmic axis, as SVG."""
    from math import log10

    rows = [(result, tool, took) for result in results for tool, took in result.worked.items()]
    width, row, left = 760, 26, 300
    height = row * len(rows) + 50

    def x(seconds: float) -> float:
        return left + log10(min(max(seconds, 0.01), 1000) * 100) / 5 * (width - left - 60)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="12"><rect width="100%" height="100%" fill="white"/>'
    ]
    parts += [
        f'<line x1="{x(s):.0f}" x2="{x(s):.0f}" y1="10" y2="{height - 35}" stroke="#ddd"/>'
        f'<text x="{x(s):.0f}" y="{height - 18}" text-anchor="middle">{s:g} s</text>'
        for s in (0.01, 0.1, 1, 10, 100, 1000)
    ]
    for number, (result, tool, took) in enumerate(rows):
        y = 12 + row * number
        colour = "#3367d6" if tool.startswith("gradguard") else "#999"
        parts.append(f'<text x="{left - 10}" y="{y + 14}" text-anchor="end">{result.name}: {tool}</text>')
        parts.append(f'<rect x="{left}" y="{y}" width="{x(took) - left:.1f}" height="18" fill="{colour}"/>')
        parts.append(f'<text x="{x(took) + 5:.1f}" y="{y + 14}">{took:.2f} s</text>')
    return "\n".join([*parts, "</svg>\n"])


PAGE = """# How long a check of whole packages takes

Seconds from start to exit, and how many seconds processors worked in them, which other work on the machine changes
little; the best of {runs} ({machine}).
Cold is without a cache, warm with what the run before has left. The floor is the time that libcst takes to parse the
same files in one process, and nothing else: GradGuard and TorchFix both parse with it. `make speed` measures again.

{table}
![how long processors worked, as bars](speed.svg)

The tools look for different things, and ruff has a parser of its own: this compares what a user waits for.
"""


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--write", type=Path, help="the page to write, with a plot beside it")
    parser.add_argument("--into", type=Path, default=Path(__file__).parent / ".packages")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    results = [measured(one, unpacked(one, options.into), options.runs) for one in options.packages]
    print(table(results))
    if options.write:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        machine = f"{platform.system()} on {platform.machine()}, {cores} cores, Python {platform.python_version()}"
        page = PAGE.format(runs=options.runs, machine=machine, table=table(results))
        options.write.write_text(page, "utf-8")
        options.write.with_suffix(".svg").write_text(plot(results), "utf-8")


if __name__ == "__main__":
    main()
