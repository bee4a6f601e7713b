"""Text edits and fixes: plain data, and how edits are applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Safety = Literal["safe", "unsafe"]


def safety(changes: object) -> Safety:
    """Return how safe a fix is, given what it changes of the program's meaning (None: nothing)."""
    return "safe" if changes is None else "unsafe"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the code points `start` up to but not including `end` of the file `path` by `text`."""

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A way to mend a failure.

    A `safe` fix keeps every value that the program computes; an `unsafe` one changes what the program
    means, and its title says how. Of the fixes of one failure, exactly one is `preferred`. `changes` is the title's
    word for what changes, for code that needs it.
    """

    title: str
    safety: Safety
    edits: tuple[Edit, ...]
    preferred: bool = False
    changes: str | None = None


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with `edits` made; insertions at one place keep their order.

    Raises ValueError where two edits overlap or one reaches beyond the text.
    """
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if not at <= edit.start <= edit.end <= len(text):
            raise ValueError(f"edit {edit.start}-{edit.end} overlaps another, or is beyond the text")
        pieces += text[at : edit.start], edit.text
        at = edit.end
    return "".join(pieces) + text[at:]


def apply_all(texts: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, str]:
    """Return the files that `edits` change, with their new texts, by path.

    Raises KeyError where an edit is for a file that isn't in `texts`, ValueError as `apply` does.
    """
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    return {path: apply(texts[path], some) for path, some in by_path.items()}


def origin(edits: Iterable[Edit], path: str, offset: int) -> int:
    """Return the place in the old text of what is at `offset` after `edits`; inside new text, where that was put."""
    shift = 0
    for edit in sorted((edit for edit in edits if edit.path == path), key=lambda edit: (edit.start, edit.end)):
        start = edit.start + shift
        if offset < start:
            break
        if offset < start + len(edit.text):
            return edit.start
        shift += len(edit.text) - (edit.end - edit.start)
    return offset - shift
