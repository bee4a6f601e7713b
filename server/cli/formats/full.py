"""What people read in a terminal: each finding with the source of all its places, as rustc shows it.

error[GG101]: `y.sum().backward()` will raise: it needs `y` as it was before this change
  --> main.py:6:1
   |
 5 | y = torch.exp(x)
   |     ------------ `exp` saves `y` for backward at version 0 (its result)
 6 | y += 1
   | ^^^^^^ changes `y`: version 0 → 1
   = help: write `y = y + …` instead of `y += …` (safe: same values and gradients)
 6 - y += 1
 6 + y = y + 1
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import islice
from typing import TYPE_CHECKING, TextIO

from ...rules.wording import remedy
from ..places import Results, colours, shown, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...fixes.edit import Edit, Fix
    from ...syntax.chunks import Span
    from ...workspace.findings import Found, Place

Piece = tuple[str, str]
"""Text and its style, by Rich's name; plain text has an empty style."""

COLOURS = {"error": "bold red", "warning": "bold yellow", "information": "bold cyan", "hint": "bold cyan"}
FRAME = "bold blue"
SIGNS = {"-": "red", "+": "green", "|": FRAME}
LONGEST_HELP = 12
"""How many changed lines of a fix are shown."""

TAB = 4
NEAR = 2
"""Up to this many lines between two places are shown; more are replaced by `...`."""


def write(results: Results, out: TextIO) -> None:
    """Write the findings that no comment silences; in colour if `out` is a terminal."""
    for found in results.active:
        _print(_finding(found, results), out)


def _print(lines: Iterable[Sequence[Piece]], out: TextIO) -> None:
    if not colours(out):
        for line in lines:
            print(visible("".join(text for text, _ in line).rstrip()), file=out)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((visible(text), style) for text, style in line)))


# -- one finding ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Label:
    """A piece of a line that is underlined with `mark`, and what is said about it."""

    line: int
    start: int
    end: int | None
    """None: to the end of the line"""
    mark: str
    message: str
    style: str


@dataclass(frozen=True, slots=True)
class _Group:
    """The labels of a file, or of a cell of a notebook, and the place to jump to."""

    first: Found | Place
    labels: list[_Label]


_Sheet = tuple[str, int | None]
"""What lines are numbered in: a file, or a cell of a notebook."""


def _sheet(place: Found | Place, results: Results) -> _Sheet:
    return place.path, results.cell(place.path, place.span.start_line)[0]


def _finding(found: Found, results: Results) -> Iterator[Sequence[Piece]]:
    style = COLOURS[found.severity.label]
    yield [(f"{found.severity.label}[{found.rule.code}]", style), (f": {found.words.headline}", "bold")]
    groups = {_sheet(found, results): _Group(found, [_label(found.span, "^", found.words.label, style)])}
    for place in found.related:
        group = groups.setdefault(_sheet(place, results), _Group(place, []))
        group.labels.append(_label(place.span, "-", place.message, FRAME))
    fixes = results.fixes(found)
    numbers = [results.cell(group.first.path, label.line)[1] for group in groups.values() for label in group.labels]
    numbers += (_last(edit, results) for fix in fixes[:1] for edit in fix.edits)
    width = len(str(max(numbers) + 1))
    for group in groups.values():
        arrow = "-->" if group.first is found else ":::"
        yield [(" " * width + arrow, FRAME), (f" {results.region(group.first)}", "")]
        yield from _snippet(sorted(group.labels, key=_order), results, group.first.path, width)
    if found.words.when:
        yield [(" " * width + " = ", FRAME), (f"only {found.words.when}", "")]
    for note in results.notes(found):
        yield [(" " * width + " = ", FRAME), ("note", "bold"), (f": {note}", "")]
    for fix in fixes[:1]:
        yield from _help(fix, results, _sheet(found, results), width)
    if not fixes:  # no fix can be proven right, so the author has to choose
        yield [(" " * width + " = ", FRAME), ("help", "bold"), (f": {remedy(found.rule.code, 'en')}", "")]
    yield [(" " * width + " = ", FRAME), (f"{found.rule.name}: `gradguard explain {found.rule.code}`", "")]
    yield []


def _last(edit: Edit, results: Results) -> int:
    """The last line, from 0, that an edit changes or inserts."""
    line, _ = results.lines(edit.path).position(edit.end)
    return results.cell(edit.path, line)[1] + edit.text.count("\n")


def _help(fix: Fix, results: Results, sheet: _Sheet, width: int) -> Iterator[Sequence[Piece]]:
    """What mends a finding, how safe that is, and the changed lines."""
    title = fix.title[0].lower() + fix.title[1:]
    if fix.safety == "safe":
        title += " (safe: same values and gradients)"
    else:
        title = f"{title[:-1]}; unsafe)" if title.endswith(")") else f"{title} (unsafe)"
    yield [(" " * width + " = ", FRAME), ("help", "bold"), (f": {title}", "")]
    changed: dict[_Sheet, list[Edit]] = {}
    for edit in fix.edits:
        cell, _ = results.cell(edit.path, results.lines(edit.path).position(edit.start)[0])
        changed.setdefault((edit.path, cell), []).append(edit)
    for (path, cell), edits in changed.items():
        if (path, cell) != sheet:
            yield [(" " * width + "::: ", FRAME), (shown(path) + ("" if cell is None else f":cell {cell}"), "")]
        start, text = results.text(path, cell)
        moved = [replace(edit, start=edit.start - start, end=edit.end - start) for edit in edits]
        for number, sign, line in islice(_changes(text, moved), LONGEST_HELP):
            yield [(f"{number:>{width}} {sign} ", SIGNS[sign]), (_printable(line), "" if sign == "|" else SIGNS[sign])]


def _changes(text: str, edits: Sequence[Edit]) -> Iterator[tuple[int, str, str]]:
    """The lines that edits remove (`-`) and insert (`+`), and those between near ones, with their numbers."""
    from ...fixes.edit import apply  # a check that finds nothing needn't import the fixes

    first = text.count("\n", 0, min(edit.start for edit in edits))
    below = text.count("\n", max(edit.end for edit in edits))
    old, new = text.split("\n"), apply(text, edits).split("\n")
    old, new = old[first : len(old) - below], new[first : len(new) - below]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from ((first + 1 + i, "-", old[i]) for i in range(i1, i2))
            yield from ((first + 1 + j, "+", new[j]) for j in range(j1, j2))
        elif i2 - i1 <= NEAR:
            yield from ((first + 1 + i, "|", old[i]) for i in range(i1, i2))


def _label(span: Span, mark: str, message: str, style: str) -> _Label:
    end = span.end_col if span.end_line == span.start_line else None
    return _Label(span.start_line, span.start_col, end, mark, message, style)


def _order(label: _Label) -> tuple[int, bool, int]:
    """The order of labels: by line; the finding itself comes closest to the text."""
    return label.line, label.mark != "^", label.start


def _snippet(labels: Sequence[_Label], results: Results, path: str, width: int) -> Iterator[Sequence[Piece]]:
    """The lines of a file that have labels, each above its labels, and the lines between near ones."""
    lines = results.lines(path)
    gutter = (" " * width + " | ", FRAME)
    yield [gutter]
    previous: int | None = None
    for label in labels:
        if label.line != previous:
            yield from _between(previous, label.line, results, path, width)
            yield _source(label.line, results, path, width)
        yield [gutter, *_underline(label, lines[label.line])]
        previous = label.line


def _between(previous: int | None, line: int, results: Results, path: str, width: int) -> Iterator[Sequence[Piece]]:
    if previous is None:
        return
    between = range(previous + 1, line)
    if len(between) > NEAR:
        yield [("...", FRAME)]
    else:
        yield from (_source(number, results, path, width) for number in between)


def _source(line: int, results: Results, path: str, width: int) -> Sequence[Piece]:
    number = results.cell(path, line)[1] + 1
    return [(f"{number:>{width}} | ", FRAME), (_printable(results.lines(path)[line]), "")]


def _underline(label: _Label, line: str) -> Sequence[Piece]:
    start = _columns(line[: label.start])
    end = _columns(line if label.end is None else line[: label.end])
    marks = label.mark * max(end - start, 1)
    return [(" " * start + f"{marks} {label.message}", label.style)]


# -- widths -----------------------------------------------------------------------------------


def _printable(line: str) -> str:
    """The line as it is printed: blanks for tabs, and nothing that would move the cursor."""
    return "".join(" " * TAB if c == "\t" else c if c.isprintable() else " " for c in line)


def _columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(TAB if c == "\t" else _width(c) for c in text)


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
