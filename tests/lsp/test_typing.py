"""Typing as people do, and worse: what the server says at the end is what it says of the text alone."""

from __future__ import annotations

import asyncio
import gc
import random
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gradguard.lsp.convert import Text
from gradguard.lsp.documents import YOUNG, tidy_a_little
from lsprotocol import types

if TYPE_CHECKING:
    from .conftest import Editor

EXAMPLES = Path(__file__).parents[2] / "examples"
PIECES = [
    "y",
    " += 1",
    "\n",
    "    ",
    "(",
    ")",
    "'",
    "# 🔥",
    ".clone()",
    "def f(x):\n",
    "\n\n\n",
    "'''",
    "\\",
    "\t",
    "张量",
]


def random_edit(choice: random.Random, text: str) -> tuple[int, int, str]:
    """Insert, delete, replace, duplicate a line or move one."""
    start = choice.randrange(len(text) + 1)
    end = min(len(text), start + choice.choice([0, 0, 0, 1, 5, 40]))
    if choice.random() < 0.3:
        lines = text.splitlines(keepends=True) or [""]
        return start, start, choice.choice(lines)
    return start, end, choice.choice([*PIECES, ""])


@pytest.mark.parametrize("example", ["01_sigmoid_shift.py", "08_moving_average.py"])
async def test_random_edits_end_where_a_fresh_start_does(editor: Editor, example: str) -> None:
    choice = random.Random(example)
    original = (EXAMPLES / example).read_text(encoding="utf-8")
    await editor.open("typed.py", original)
    text = Text(original, "utf-16")
    for step in range(60):
        start, end, new = random_edit(choice, text.text)
        place = text.between(start, end)
        text = text.replace(place, new)
        now = await editor.change("typed.py", types.TextDocumentContentChangePartial(place, new))
        assert all(inside(one.range, text) for one in now)
        if step % 10 == 9:
            await editor.hover("typed.py", choice.randrange(len(text.starts)), choice.randrange(20))
    assert shape(await editor.retype("typed.py", original)) == shape(await editor.open("fresh.py", original))


def inside(place: types.Range, text: Text) -> bool:
    """Whether a range is one of the text, and not of an older one that was longer."""
    return all(text.position(text.offset(end)) == end for end in (place.start, place.end))


def shape(found: list[types.Diagnostic]) -> list[tuple[types.Range, str | int | None, str]]:
    return [(one.range, one.code, one.message) for one in found]


async def test_questions_asked_while_typing_are_all_answered(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    document = types.TextDocumentIdentifier(editor.uri("a.py"))
    asked = []
    for version in range(2, 40):
        place = types.Range(types.Position(0, 0), types.Position(0, 0))
        editor.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, document.uri),
                [types.TextDocumentContentChangePartial(place, "\n")],
            )
        )
        position = types.Position(version + 2, 0)
        asked.append(editor.client.text_document_hover_async(types.HoverParams(document, position)))
    answers = await asyncio.wait_for(asyncio.gather(*asked), 60)
    last = answers[-1]
    assert last is not None
    assert last.range == types.Range(types.Position(41, 0), types.Position(41, 1))


class Loop:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


def test_what_earlier_edits_have_left_is_freed_while_somebody_types() -> None:
    thresholds = gc.get_threshold()
    gc.set_threshold(1_000_000, 1_000, 1_000)  # as the server has it: no keystroke collects
    try:
        loop = Loop()
        left = weakref.ref(loop)
        for turn in range(60):
            made = [Loop() for _ in range(YOUNG + 1)]
            del made
            tidy_a_little()
            if turn == 3:
                del loop  # it has survived by then
        assert left() is None
    finally:
        gc.set_threshold(*thresholds)
