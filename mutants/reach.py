"""Puts wrong gradients in front of each statement that a real script runs, and counts those that GradGuard tells.

    python -m mutants.reach PYTHON [--only NAME …]

PYTHON is an interpreter that has the packages. The statements are those of the script itself, and of the functions of
one file of the package that it runs. A statement that is reached is told; one that isn't is shown. Returns 1 if fewer
than `ENOUGH` of all are told.
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from gradguard.rules.diagnostic import diagnose, position
from gradguard.rules.rule import Severity
from gradguard.workspace.files import Document

from .__main__ import HERE, asked
from .models import Model, listed
from .told import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

ENOUGH = 0.98
PROBE = """\
import torch as _torch
with _torch.enable_grad(): _out = _torch.ones(1, requires_grad=True).exp(); _out.data.add_(1); _out.backward()
"""
"""wrong gradients, which do not raise: the program goes on"""


def main() -> int:
    """Probe each model's script and file, and say which probes were not told."""
    parser = argparse.ArgumentParser(prog="python -m mutants.reach", description=__doc__.split("\n")[0])
    parser.add_argument("python", type=Path, help="an interpreter that has the packages")
    parser.add_argument("--only", nargs="*", help="these packages or files only")
    options = parser.parse_args()
    told = probed = 0
    for model in (*listed(HERE / "models.toml"), *listed(HERE / "reach.toml")):
        if model.is_chosen(options.only):
            lines, missed = _probed(model, options.python)
            told, probed = told + lines - len(missed), probed + lines
            print(f"{model.package} {model.file}: {lines - len(missed)} of {lines}", *missed, sep="\n    ", flush=True)
    print(f"{told} of {probed} told ({100 * told / max(probed, 1):.1f} %)")
    return 0 if told >= ENOUGH * probed else 1


def _probed(model: Model, python: Path) -> tuple[int, list[str]]:
    """How many statements were probed for a model, and the lines of those that were not told."""
    root = model.project(python)
    (found,) = asked(python, {"script": model.script, "file": model.file})
    reader = Reader(root, root / model.file, root / model.script_name)
    count, missed = 0, []
    for name, ran in ((model.file, set(found["lines"])), (model.script_name, None)):
        path = root / name
        text = path.read_text(encoding="utf-8")
        lines = list(_statements(text, ran))
        count += len(lines)
        missed += [
            f"{name}:{line} {text.splitlines()[line - 1].strip()}" for line in _missed(reader, path, text, lines)
        ]
        reader.project.overlay(Document(str(path), text))
    return count, missed


def _statements(text: str, ran: set[int] | None) -> Iterator[int]:
    """The lines of the statements of functions that `ran`; those of the program's own code instead if that is None."""
    tree, lines = ast.parse(text), text.splitlines()
    functions = [one for one in ast.walk(tree) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
    inside = {one for function in functions for s in function.body for one in ast.walk(s)}
    for s in ast.walk(tree) if ran is None else inside:
        if not isinstance(s, ast.stmt) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)):
            continue
        line = min([s.lineno, *(one.lineno for one in getattr(s, "decorator_list", []))])
        is_first = not lines[line - 1][: s.col_offset].strip() and not lines[line - 1].lstrip().startswith("elif")
        if is_first and (ran is None or s.lineno in ran):
            yield line


def _missed(reader: Reader, path: Path, text: str, lines: list[int]) -> list[int]:
    """The `lines` before which a probe is not told. Those that hide each other's are tried in halves."""
    left = sorted(set(lines) - _told(reader, path, text, lines))
    if not left or len(lines) == 1:
        return left
    if len(left) < len(lines):
        return _missed(reader, path, text, left)
    half = len(left) // 2
    return _missed(reader, path, text, left[:half]) + _missed(reader, path, text, left[half:])


def _told(reader: Reader, path: Path, text: str, lines: list[int]) -> set[int]:
    """The lines before which a probe is told, with one before each of these `lines`."""
    probed, places = [], {}
    for number, line in enumerate(text.splitlines(), 1):
        if number in lines:
            probed += indent(PROBE, line[: len(line) - len(line.lstrip())]).splitlines()
            places[len(probed)] = number
        probed.append(line)
    reader.project.overlay(Document(str(path), "\n".join(probed) + "\n"))
    report = reader.replayed()
    sure = (one for one in diagnose(report) if one.severity in (Severity.ERROR, Severity.WARNING))
    rows = {row + 1 for file, row, *_ in map(position, (one.site for one in sure)) if file == str(path)}
    return {places[row] for row in rows & places.keys()}


if __name__ == "__main__":
    sys.exit(main())
