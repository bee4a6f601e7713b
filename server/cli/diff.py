"""The difference between two texts of a file, as `diff -u` writes it."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from .places import shown, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..workspace.files import Document


def unified(before: Document, after: Document) -> str:
    """The difference of two documents of one path; of notebooks, cell by cell."""
    name = shown(before.path)
    if before.notebook is None or after.notebook is None:
        return _diff(name, before.text, after.text)
    old, new = before.notebook, after.notebook
    cells = zip(old.cells, old.sources, new.sources, strict=True)
    return "".join(_diff(f"{name}:cell {number}", *texts) for number, *texts in cells)


def readable(text: str) -> str:
    """The difference as a terminal can show it."""
    return "".join(f"{visible(line.expandtabs())}\n" for line in text.split("\n")[:-1])


def _diff(name: str, before: str, after: str) -> str:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return "".join(_ended(unified_diff(old, new, name, name)))


def _ended(lines: Iterator[str]) -> Iterator[str]:
    """The lines, with diff's note where a file doesn't end in a line break."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
