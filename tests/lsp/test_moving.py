"""Diagnostics move along with the text that is edited meanwhile."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest
from gradguard.lsp.convert import Text
from gradguard.lsp.documents import Document, goes_on
from gradguard.lsp.moving import moved
from lsprotocol import types

from .test_diagnostics import until

if TYPE_CHECKING:
    from gradguard.syntax.positions import Encoding

    from .conftest import Editor

URI = "file:///a.py"
TEXT = "y = x.exp()\n# 🔥 warm\ny += 1; z = y\n\n    y.mul_(2)  # 张量\n"
NEW = ("", "a", "🔥", "\n", "\r\n    ", "x = 1\ny = 2", "'''\n\n")


def diagnostic(place: types.Range) -> types.Diagnostic:
    elsewhere = types.Location("file:///b.py", place)
    related = [types.DiagnosticRelatedInformation(where, "") for where in (types.Location(URI, place), elsewhere)]
    return types.Diagnostic(place, "stale", related_information=related)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_diagnostic_stays_with_its_text(encoding: Encoding) -> None:
    choice = random.Random(encoding)
    lost = 0
    for _ in range(500):
        text = Text(TEXT, encoding)
        start = TEXT.index("y.mul_(2)")
        found = [diagnostic(text.between(start, start + 9))]
        changes: list[types.TextDocumentContentChangeEvent] = []
        for _ in range(choice.randrange(1, 4)):
            first = choice.randrange(len(text.text) + 1)
            last = min(len(text.text), first + choice.choice([0, 0, 1, 3]))
            changes.append(types.TextDocumentContentChangePartial(text.between(first, last), choice.choice(NEW)))
            text = text.edited(changes[-1:])
        kept = moved(found, URI, changes, encoding)
        lost += not kept
        for one in kept:
            places = [one.range, *(related.location.range for related in one.related_information or ())]
            here = [text.text[text.offset(place.start) : text.offset(place.end)] for place in places[:2]]
            assert here == ["y.mul_(2)"] * 2
            assert places[2] == found[0].range, "in another document nothing was edited"
    assert 50 < lost < 300, "what was edited itself is gone"


def test_nothing_is_known_of_a_text_that_is_replaced() -> None:
    place = Text(TEXT, "utf-16").between(0, 1)
    assert moved([diagnostic(place)], URI, [types.TextDocumentContentChangeWholeDocument(TEXT)], "utf-16") == []


async def test_who_types_faster_than_an_analysis_takes_sees_what_is_found(editor: Editor, stale: str) -> None:
    calls = "".join(f"def f{n}(x):\n" + "    y = torch.exp(x)\n" * 20 + "    return y\n" for n in range(150))
    (found,) = await editor.open("long.py", stale + calls)
    uri, typed = editor.uri("long.py"), 60
    top = types.Range(types.Position(0, 0), types.Position(0, 0))
    shown: list[list[types.Range]] = []
    for version in range(2, typed + 2):
        editor.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri),
                [types.TextDocumentContentChangePartial(top, "import math\n")],
            )
        )
        await asyncio.sleep(0.05)
        shown.append([one.range for one in editor.client.diagnostics[uri]])
    lines = {place.start.line for places in shown for place in places}
    assert len(lines) > 3, "before the typing ends"
    last = found.range.start.line + typed
    await until(lambda: [one.range.start.line for one in editor.client.diagnostics[uri]] == [last])


async def test_what_is_found_is_shown_before_the_rest_is_done(editor: Editor) -> None:
    shared = "def double(x):\n    y = x.exp()\n    return y * 2\n"
    used = "w = torch.ones(3, requires_grad=True)\ndouble(w).sum().backward()\n" + "double(w)\n" * 3000
    assert await editor.open("long.py", "import torch\n" + shared + used) == []
    uri = editor.uri("long.py")
    line = types.Range(types.Position(3, 0), types.Position(3, 0))
    insert = types.TextDocumentContentChangePartial(line, "    y += 1\n")
    editor.client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [insert])
    )
    early = await editor.published(uri, None)
    assert [one.range.start.line for one in early] == [3]
    whole = await editor.published(uri, 2)
    assert [(one.range, one.code) for one in whole] == [(one.range, one.code) for one in early]


@pytest.mark.parametrize(
    ("cost", "lost", "spent", "on"),
    [
        (0.0, 0.0, 0.1, True),
        (1.0, 0.0, 0.1, False),
        (1.0, 0.3, 0.1, False),
        (1.0, 0.4, 0.15, True),
        (1.0, 0.0, 0.6, True),
        (1.0, 0.0, 2.1, False),
        (0.0, 0.0, 0.6, False),
        (0.0, 0.6, 0.3, True),
    ],
)
def test_an_edit_stops_an_analysis_where_that_loses_little(cost: float, lost: float, spent: float, on: bool) -> None:
    document = Document(URI, "/a.py", Text(TEXT, "utf-16"), 1, True, cost=cost, lost=lost)
    assert goes_on(document, spent) is on
    document.took = 5.0
    assert goes_on(document, spent) is (on or spent > 0.5), "it may take as long as the one before, the first one too"
