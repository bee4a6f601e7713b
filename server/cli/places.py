"""Findings as users read them: relative paths, lines and columns from 1, cells of notebooks."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from ..workspace.lines import Lines
from ..workspace.notebook_file import NotebookFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..fixes.edit import Edit, Fix
    from ..syntax.chunks import Span
    from ..workspace.files import Document
    from ..workspace.findings import Found
    from ..workspace.notebook import Notebook
    from ..workspace.problems import Problem


@dataclass(frozen=True, slots=True)
class Region:
    """A range of a file, from 1, its end exclusive; in a notebook within `cell`."""

    path: str
    start: tuple[int, int]
    end: tuple[int, int]
    cell: int | None = None

    def __str__(self) -> str:
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{shown(self.path)}:{cell}{self.start[0]}:{self.start[1]}"


class Placed(Protocol):
    """Anything that has a place."""

    @property
    def path(self) -> str:
        """The file."""

    @property
    def span(self) -> Span:
        """Its range in the file."""


@dataclass(slots=True)
class Results:
    """What a format writes: findings, including silenced ones, the texts that they are in, and their fixes."""

    findings: Sequence[Found]
    documents: Mapping[str, Document]
    fixes: Callable[[Found], list[Fix]] = lambda found: list(found.fixes or ())
    problems: list[Problem] = field(default_factory=list)
    counted: bool = True
    """whether fixes were searched for all findings that are shown"""
    notes: Callable[[Found], Sequence[str]] = lambda found: ()
    """further notes on a finding, one a line"""

    @property
    def active(self) -> list[Found]:
        """The findings that no comment silences."""
        return [finding for finding in self.findings if not finding.suppressed]

    def region(self, place: Placed) -> Region:
        """The region of a finding or a related place."""
        span = place.span
        return self._region(place.path, (span.start_line, span.start_col), (span.end_line, span.end_col))

    def edit_region(self, edit: Edit) -> Region:
        """The region that an edit replaces."""
        lines = self.lines(edit.path)
        return self._region(edit.path, lines.position(edit.start), lines.position(edit.end))

    def file_region(self, place: Placed) -> Region:
        """The region of a finding or a related place in its file, for formats that know no cells."""
        span = place.span
        return self._file_region(place.path, (span.start_line, span.start_col), (span.end_line, span.end_col))

    def file_edit(self, edit: Edit) -> tuple[Region, str]:
        """The region that an edit replaces in the file, and the new text: in a notebook, a piece of a JSON string."""
        lines = self.lines(edit.path)
        region = self._file_region(edit.path, lines.position(edit.start), lines.position(edit.end))
        text = edit.text if self.documents[edit.path].notebook is None else as_json(edit.text)[1:-2]
        return region, text

    def file_lines(self, path: str) -> Lines:
        """The lines of a file as it is on the disk."""
        notebook = self.documents[path].notebook
        return self.lines(path) if notebook is None else _notebook_file(notebook.written).lines

    def cell(self, path: str, line: int) -> tuple[int | None, int]:
        """The cell (None outside notebooks) of a 0-based line of a file's program, and the line within it."""
        notebook = self.documents[path].notebook
        return (None, line) if notebook is None else notebook.place(line)

    def text(self, path: str, cell: int | None) -> tuple[int, str]:
        """A file's program, or the part of it that is one cell, and the offset where that begins."""
        document = self.documents[path]
        if document.notebook is None or cell is None:
            return 0, document.text
        index = document.notebook.cells.index(cell)
        return document.notebook.starts[index], document.notebook.sources[index]

    def lines(self, path: str) -> Lines:
        """The lines of a file's program."""
        document = self.documents[path]
        return _lines(document.notebook.raw if document.notebook else document.text)

    def fingerprints(self) -> list[str]:
        """What identifies each finding even if lines above it come and go.

        That is the rule, the file, the text of the line, and its number among those with the same text.
        """
        from hashlib import sha256

        seen: Counter[tuple[str, ...]] = Counter()
        keys = [(f.rule.code, uri(f.path), self.lines(f.path)[f.span.start_line].strip()) for f in self.findings]
        prints = []
        for key in keys:
            seen[key] += 1
            prints.append(sha256("\n".join((*key, str(seen[key]))).encode()).hexdigest())
        return prints

    def _region(self, path: str, start: tuple[int, int], end: tuple[int, int]) -> Region:
        cell, first = self.cell(path, start[0])
        last = first + end[0] - start[0]
        return Region(path, (first + 1, start[1] + 1), (last + 1, end[1] + 1), cell)

    def _file_region(self, path: str, start: tuple[int, int], end: tuple[int, int]) -> Region:
        notebook = self.documents[path].notebook
        if notebook is None:
            return self._region(path, start, end)
        places = [_place_in_file(notebook, self.lines(path), *point) for point in (start, end)]
        (first, column), (last, behind) = places
        return Region(path, (first + 1, column + 1), (last + 1, behind + 1))


@cache
def _lines(text: str) -> Lines:
    return Lines(text)


@cache
def _notebook_file(written: str) -> NotebookFile:
    return NotebookFile(written)


def _place_in_file(notebook: Notebook, lines: Lines, line: int, column: int) -> tuple[int, int]:
    cell, within = notebook.place(line)
    return _notebook_file(notebook.written).place(cell, lines.starts[line] + column - lines.starts[line - within])


def relative(path: str) -> str:
    """The path, relative if it is in the working directory, for machines."""
    inside = os.path.relpath(path)
    return path if inside.startswith("..") else inside


def shown(path: str) -> str:
    """The same for people; it may stand at the beginning of a line."""
    text = visible(relative(path))
    return f"./{text}" if text.lstrip().startswith("::") else text  # GitHub's commands begin like that


def visible(text: str) -> str:
    """Text with parts of programs or file names, as one line that is safe to print.

    Terminals obey control characters; viewers of CI logs obey `##[…]`, `##vso[…]` and the like anywhere in a line.
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return _COMMAND.sub("# ", text)


def as_json(data: object, indent: int | None = 2) -> str:
    """Data as JSON that ends in a line break, as safe to print as `visible` text."""
    import json

    return json.dumps(data, indent=indent).replace("##", "#\\u0023") + "\n"  # only a string can hold two in a row


_COMMAND = re.compile(r"##(?=\w*\[)")


def uri(path: str) -> str:
    """The path as a URI: a relative reference if it is in the working directory."""
    from urllib.parse import quote

    inside = relative(path)
    return Path(path).as_uri() if os.path.isabs(inside) else quote(os.fsencode(Path(inside).as_posix()))


def choose_colours(when: str) -> None:
    """Make `auto`, `always` or `never` hold for all output, through the variables that Rich reads, too."""
    if when != "auto":
        os.environ.pop("NO_COLOR", None)
        os.environ.pop("FORCE_COLOR", None)
        os.environ["FORCE_COLOR" if when == "always" else "NO_COLOR"] = "1"


def colours(stream: TextIO) -> bool:
    """Whether output to the stream is coloured: on a terminal (no-color.org, force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def complain(problem: Problem) -> str:
    """A problem in one line."""
    place = shown(problem.path)
    if problem.line is not None:
        place += f":{problem.line}" + (f":{problem.column}" if problem.column is not None else "")
    return f"{place}: {'internal error: ' if problem.internal else ''}{visible(problem.message)}"
