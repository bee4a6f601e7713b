"""Show the version counters of a program's tensors, line by line."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ..workspace.lines import Lines
from .places import as_json, complain, shown, visible
from .status import FAILED, OK

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..analyses.domain.report import VersionRow
    from ..workspace.files import Document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard versions` takes."""
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="(default: text)")
    parser.add_argument("--config", metavar="FILE", help="use this configuration")


def run(args: argparse.Namespace) -> int:
    """Print the state of each tensor name after each line that assigns, reads or changes it."""
    from pathlib import Path

    from ..workspace.config import load_config
    from ..workspace.files import Settings
    from ..workspace.problems import Unreadable
    from ..workspace.project import Project

    path = os.path.abspath(args.file)
    explicit = load_config(Path(os.path.abspath(args.config))) if args.config else None
    config = Settings(explicit).at(Path(path).parent, Path(path).parent)
    project = Project(config.root, config)
    try:
        report, document = project.report(path), project.document(path)
    except Unreadable as error:
        print(complain(error.problem), file=sys.stderr)
        return FAILED
    rows = list({(_line(row), row.name): row for row in report.rows if row.site.chunk.path == path}.values())
    if args.output_format == "json":
        print(as_json([_object(row, document) for row in rows]), end="")
    else:
        _print_table(rows, document)
    return OK


def _line(row: VersionRow) -> int:
    return row.site.chunk.span(row.site.node).start_line


def _place(row: VersionRow, document: Document) -> tuple[int | None, int]:
    """The line from 1, in a notebook within its cell, which is named."""
    cell, line = (None, _line(row)) if document.notebook is None else document.notebook.place(_line(row))
    return cell, line + 1


def _object(row: VersionRow, document: Document) -> dict[str, Any]:
    cell, line = _place(row, document)
    return {
        **({} if cell is None else {"cell": cell}),
        "line": line,
        "name": row.name,
        "version": row.version,
        "min": row.low,
        "max": row.high,
        "requires_grad": row.requires_grad,
        "is_leaf": row.is_leaf,
        "storage": row.storage,
    }


def _print_table(rows: Sequence[VersionRow], document: Document) -> None:
    """Print each line of the program that touches a tensor, and the tensors below it."""
    path = shown(document.path)
    if document.notebook is None:
        print(path)
    lines = Lines(document.text)
    width = max((len(visible(row.name)) for row in rows), default=0)
    numbers = {storage: number for number, storage in enumerate(dict.fromkeys(row.storage for row in rows), 1)}
    last, last_cell = None, None
    for row in rows:
        line = _line(row)
        if line != last:
            cell, number = _place(row, document)
            if cell != last_cell:
                print(f"{path}:cell {cell}")
            print(f"{number:>5} | {visible(lines[line].expandtabs())}")
            last, last_cell = line, cell
        grad = _either(row.requires_grad, "requires grad", "no grad", "grad unknown")
        leaf = _either(row.is_leaf, "leaf", "not a leaf", "leaf or not")
        state = f"{grad}, {leaf}, memory #{numbers[row.storage]}"
        print(f"      |     {visible(row.name):<{width}}  version {_version(row):<6} {state}{_before(row)}")
    if rows:
        print(f"\n{_legend(rows)}")


LEGEND = {
    "": "Each line of the program, and below it the tensors that it names, as its last run left them.",
    "version": "how often the memory was changed in place; 1–3 or 1+ where that is not known exactly",
    "first time": "what the line's first run left, where a later round of a loop left another version",
    "leaf": "no recorded operation made it: backward() leaves its gradient in .grad",
    "memory #1": "tensors with the same number share their memory, and so their version",
}


def _legend(rows: Sequence[VersionRow]) -> str:
    """The legend: what the words in the table mean."""
    used = [word for word in LEGEND if word != "first time" or any(_before(row) for row in rows)]
    return "\n".join(f"{word:<10}  {LEGEND[word]}".lstrip() for word in used)


def _before(row: VersionRow) -> str:
    """What the first round of a loop has left, if a later one has left something else."""
    return "" if row.first is None or row.first == row.version else f" (version {row.first} the first time)"


def _version(row: VersionRow) -> str:
    if row.version is not None:
        return str(row.version)
    return f"{row.low}–{row.high}" if row.high is not None else f"{row.low}+"


def _either(known: bool | None, yes: str, no: str, unknown: str) -> str:
    return unknown if known is None else yes if known else no
