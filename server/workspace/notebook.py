"""Jupyter notebooks: their code cells as one program, and edited text back into the cells.

The text of the program keeps every column: cells are joined by line breaks, and what only IPython
understands (`%magic`, `!command`, `%%script` cells) is overwritten with as many characters without effect. Code that
`%time` and similar magics run in the notebook's namespace is part of the program.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from .lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable

_CONTINUED = r"(?:[^\n]*\\\r?\n)*[^\n]*"
_MAGIC = re.compile(
    rf"(?<!\\\n)^([ \t]*)((?:%{{1,2}}[A-Za-z]|[!?]){_CONTINUED}|[\w.]+\?{{1,2}}[ \t]*)$"
    rf"|^([ \t]*[A-Za-z_][\w.,\[\] \t]*=[ \t]*)([!%]{_CONTINUED})$",
    re.MULTILINE,
)
"""a line for IPython alone, or an assignment of what a command prints"""

_WITH_VALUES = {
    "time": "",
    "timeit": "nrpv",
    "prun": "DlsT",
    "debug": "b",
    "memit": "rti",
    "mprun": "fT",
    "lprun": "fmDTu",
    "snakeviz": "f",
    "pyinstrument": "",
    "scalene": "",
}
"""magics that run Python in the notebook's namespace, and their one-letter options that take a value"""

_RUNS_LINE = re.compile(
    "|".join(
        rf"%{{1,2}}{name}(?![\w.])(?:[ \t]+(?:"
        + (rf"-[{values}][ \t]*\S+|-(?:(?![{values}])[A-Za-z])+(?=[ \t])|" if values else "")
        + r"--[a-z][\w-]*(?:=\S*)?))*[ \t]+(?=[^\s#-])"
        for name, values in _WITH_VALUES.items()
    )
)
"""such a magic, up to the statement that follows it"""

_RUNS_CELL = re.compile(rf"\s*%%(?:{'|'.join(_WITH_VALUES)}|capture|ipytest)\b")
"""one that runs the rest of its cell"""

_COMPOUND = re.compile(r"(?:if|for|while|with|try|def|class|async|match)\b|@")
"""the beginning of a statement that cannot follow another one on its line"""


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook's code: `raw` is the text of all code cells, each ending with a line break.

    `written` is the text of the file, empty where there is none.

    `cells` are the 1-based places of these cells among all cells, `lines` the 0-based lines of `raw` where
    they begin, `starts` the offsets.
    """

    content: dict[str, Any]
    written: str = field(compare=False)
    raw: str
    cells: tuple[int, ...]
    lines: tuple[int, ...]
    starts: tuple[int, ...]

    @property
    def text(self) -> str:
        """The program: `raw` with IPython's own syntax overwritten."""
        return "".join(_plain(source) for source in self.sources)

    @property
    def sources(self) -> list[str]:
        """The text of each code cell, with the line break that joins it to the next."""
        return [self.raw[start:end] for start, end in pairwise((*self.starts, len(self.raw)))]

    def place(self, line: int) -> tuple[int, int]:
        """The cell's number and the 0-based line within it, of a 0-based line of the program."""
        index = max(bisect_right(self.lines, line) - 1, 0)
        return self.cells[index], line - self.lines[index]

    def saved(self, sources: list[str]) -> str:
        """The text of the notebook's file with the code cells' texts replaced.

        `sources` has one text for each code cell, ending with the line break that joins them.
        """
        cells = list(self.content["cells"])
        for number, source in zip(self.cells, sources, strict=True):
            text = source[:-1]
            old = cells[number - 1].get("source")
            cells[number - 1] = {
                **cells[number - 1],
                "source": text if isinstance(old, str) else text.splitlines(keepends=True),
            }
        return json.dumps({**self.content, "cells": cells}, indent=1, ensure_ascii=False) + "\n"  # as Jupyter writes it


def read_notebook(text: str) -> Notebook:
    """The notebook in the text of an .ipynb file. Raises ValueError if it is none, or not of Python."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"is not valid JSON (line {error.lineno}): {error.msg}") from None
    except RecursionError:
        raise ValueError("is not a notebook: its JSON is nested too deeply") from None
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        raise ValueError("is not a notebook: it has no list of cells")
    language: Any = content
    for key in ("metadata", "language_info", "name"):
        language = language.get(key) if isinstance(language, dict) else None
    if language not in (None, "python"):
        raise ValueError(f"is a notebook of {language}, not of Python")
    return _notebook(content, text)


def notebook_of(sources: Iterable[str]) -> Notebook:
    """A notebook of the given code cells, without a file."""
    return _notebook({"cells": [{"cell_type": "code", "source": source} for source in sources]}, "")


def _notebook(content: dict[str, Any], written: str) -> Notebook:
    code = [(number, _source(cell)) for number, cell in enumerate(content["cells"], 1) if _is_code(cell)]
    texts = [source + "\n" for _, source in code]
    return Notebook(
        content=content,
        written=written,
        raw="".join(texts),
        cells=tuple(number for number, _ in code),
        lines=_running(len(Lines(text)) - 1 for text in texts),
        starts=_running(len(text) for text in texts),
    )


def _is_code(cell: Any) -> bool:
    return isinstance(cell, dict) and cell.get("cell_type") == "code"


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source")
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def _running(sizes: Any) -> tuple[int, ...]:
    """The offset at which each piece begins if they are joined."""
    return tuple(accumulate(sizes, initial=0))[:-1]


def _plain(cell: str) -> str:
    if cell.lstrip().startswith("%%") and not _RUNS_CELL.match(cell):
        return re.sub(r"^[^\r\n]", "#", cell, flags=re.MULTILINE)
    return _MAGIC.sub(lambda match: (match[1] or match[3] or "") + _statement(match[2] or match[4], match[4]), cell)


def _statement(magic: str, assigned: str | None) -> str:
    """A statement of the same length: what the magic runs, or one without effect, for a block needs a statement.

    `%time` gives what it has run, where that is `assigned`; others give what they have measured.
    """
    runs = _RUNS_LINE.match(magic)
    if runs and not _COMPOUND.match(magic, runs.end()):
        start = "" if assigned and magic.startswith("%time ") else "0;"
        return start.ljust(runs.end()) + magic[runs.end() :]
    first, *more = magic.split("\n")
    return "\n".join(["0" if len(first) == 1 else "0#" + first[2:], *map(_comment, more)])


def _comment(line: str) -> str:
    return "#" + line[1:] if line.strip() else line
