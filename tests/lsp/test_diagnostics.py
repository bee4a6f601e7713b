"""Diagnostics over real stdio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from gradguard.rules import RULES
from lsprotocol import types

from .conftest import RICH

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Editor, Start

PULLING = types.TextDocumentClientCapabilities(
    diagnostic=types.DiagnosticClientCapabilities(related_information=True), hover=RICH["text_document"].hover
)


def at(line: int, start: int, end: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(line, end))


def insert(line: int, column: int, text: str) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(at(line, column, column), text)


async def test_a_message_is_short_where_the_client_lists_the_related_places(start: Start, stale: str) -> None:
    editor = await start(experimental={"relatedInformationListed": True})
    (found,) = await editor.open("a.py", stale)
    assert found.message == "`y.sum().backward()` will raise: it needs `y`, which this changes"
    assert len(found.related_information) == 2


async def test_a_short_message_still_names_its_conditions(start: Start) -> None:
    editor = await start(experimental={"relatedInformationListed": True})
    (found,) = await editor.open("a.py", PARAMETER)
    assert found.message.endswith(". Only if `x` requires grad."), found.message


async def test_a_diagnostic_says_what_where_and_why(editor: Editor, stale: str) -> None:
    (found,) = await editor.open("a.py", stale)
    assert (found.source, found.code, found.severity) == ("gradguard", "GG101", types.DiagnosticSeverity.Error)
    assert found.range == at(3, 0, 6)
    assert "it needs `y`, which this changes" in found.message
    uri = editor.uri("a.py")
    assert [place.location for place in found.related_information] == [
        types.Location(uri, at(2, 4, 11)),
        types.Location(uri, at(4, 0, 18)),
    ]
    assert found.code_description.href == RULES["GG101"].address()


async def test_diagnostics_follow_the_text(editor: Editor, stale: str) -> None:
    assert await editor.open("a.py", stale)
    (moved,) = await editor.change("a.py", insert(0, 0, "# one\n# two\n"))
    assert moved.range == at(5, 0, 6)
    assert not await editor.change("a.py", types.TextDocumentContentChangePartial(at(5, 2, 4), "= y +"))
    assert await editor.retype("a.py", stale)
    assert not await editor.retype("a.py", "")


async def test_edits_of_one_notification_apply_in_order(editor: Editor, stale: str) -> None:
    await editor.open("a.py", "")
    lines = stale.splitlines(keepends=True)
    (found,) = await editor.change("a.py", *(insert(i, 0, line) for i, line in enumerate(lines)))
    assert found.range == at(3, 0, 6)


async def test_a_half_typed_line_elsewhere_changes_nothing(editor: Editor, stale: str) -> None:
    before = await editor.open("a.py", stale + "\n\n")
    assert await editor.change("a.py", insert(6, 0, "def half(")) == before


@pytest.mark.parametrize(
    ("encoding", "column"),
    [
        (types.PositionEncodingKind.Utf8, 14),
        (types.PositionEncodingKind.Utf16, 8),
        (types.PositionEncodingKind.Utf32, 7),
    ],
)
async def test_columns_are_in_the_negotiated_encoding(
    start: Start, stale: str, encoding: types.PositionEncodingKind, column: int
) -> None:
    editor = await start(encodings=[encoding])
    assert editor.server.capabilities.position_encoding == encoding
    (found,) = await editor.open("a.py", stale.replace("y += 1", "'🔥张量'; y += 1"))
    assert found.range == at(3, column, column + 6)
    assert "version 1" in (await editor.hover("a.py", 3, column) or "")
    assert await editor.hover("a.py", 3, 2) is None


async def test_utf_16_is_spoken_where_nothing_is_negotiated(editor: Editor) -> None:
    assert editor.server.capabilities.position_encoding == types.PositionEncodingKind.Utf16


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
async def test_line_ends_and_form_feeds(editor: Editor, stale: str, newline: str) -> None:
    text = "\f" + stale.replace("x = ", "note = 'a\x0cb\u2028c'\nx = ").replace("\n", newline)
    (found,) = await editor.open("a.py", text)
    assert found.range == at(4, 0, 6)
    assert not await editor.change("a.py", types.TextDocumentContentChangePartial(at(4, 2, 4), "= y +"))


async def test_closing_takes_the_diagnostics_away_and_opening_brings_them_back(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    document = types.TextDocumentIdentifier(editor.uri("a.py"))
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    assert await editor.published(document.uri, 1) == []
    assert await editor.open("a.py", stale)


async def test_suppressed_diagnostics_are_not_shown_and_idle_comments_are(editor: Editor, stale: str) -> None:
    assert not await editor.open("a.py", stale.replace("y += 1", "y += 1  # gradguard: ignore[GG101]"))
    (idle,) = await editor.open("b.py", "x = 1  # gradguard: ignore[GG101]\n")
    assert (idle.code, list(idle.tags)) == ("GG900", [types.DiagnosticTag.Unnecessary])


async def test_a_plain_client_gets_plain_diagnostics(start: Start, stale: str) -> None:
    editor = await start(text_document=None, workspace=None)
    (found,) = await editor.open("a.py", stale)
    assert found.related_information is None
    assert found.code_description is None
    assert found.tags is None


async def test_linked_documents_are_one_program(editor: Editor, stale: str) -> None:
    (editor.folder / "helper.py").write_text("")
    await editor.open("helper.py", stale)
    assert await editor.open("main.py", "import helper\n" + stale)
    (found,) = await editor.change("helper.py", insert(0, 0, "\n"))
    assert found.range == at(4, 0, 6)


PARAMETER = """\
import torch

def loss(x):
    y = x.exp()
    y += 1
    y.sum().backward()
"""
CLOSED = "def shift(y):\n    y += 1\n"
PROGRAM = """\
import torch
from helper import shift
y = torch.ones(3, requires_grad=True).exp()
shift(y)
y.sum().backward()
"""


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what the server tells without being asked."""
    for _ in range(4000):
        if condition():
            return
        await asyncio.sleep(0.01)
    pytest.fail("nothing came")


async def test_what_goes_wrong_in_a_closed_file_is_told_there(editor: Editor) -> None:
    (editor.folder / "helper.py").write_text(CLOSED)
    told, uri = editor.client.diagnostics, editor.uri("helper.py")
    assert await editor.open("main.py", PROGRAM) == []
    await until(lambda: bool(told.get(uri)))
    assert [(found.code, found.range) for found in told[uri]] == [("GG101", at(1, 4, 10))]
    await editor.retype("main.py", PROGRAM.replace("shift(y)", "shift(y.clone())"))
    await until(lambda: not told[uri])


async def test_diagnostics_of_a_closed_file_go_with_the_program(editor: Editor) -> None:
    (editor.folder / "helper.py").write_text(CLOSED)
    told, uri = editor.client.diagnostics, editor.uri("helper.py")
    await editor.open("main.py", PROGRAM)
    await until(lambda: bool(told.get(uri)))
    main = types.TextDocumentIdentifier(editor.uri("main.py"))
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(main))
    await until(lambda: not told[uri])


async def test_messages_are_in_the_locale(start: Start, stale: str) -> None:
    editor = await start(locale="zh-CN")
    (found,) = await editor.open("a.py", stale)
    assert "报错" in found.message
    assert found.code_description.href == RULES["GG101"].address("zh-cn")


# -- pulling --------------------------------------------------------------------------------------


async def pull(editor: Editor, name: str, previous: str | None = None) -> object:
    document = types.TextDocumentIdentifier(editor.uri(name))
    return await editor.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(document, previous_result_id=previous)
    )


def tell_open(editor: Editor, name: str, text: str) -> None:
    item = types.TextDocumentItem(editor.uri(name), "python", 1, text)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))


async def test_a_client_that_pulls_is_told_what_changed(start: Start, stale: str) -> None:
    editor = await start(text_document=PULLING)
    assert editor.server.capabilities.diagnostic_provider.workspace_diagnostics
    tell_open(editor, "a.py", stale)
    first = await pull(editor, "a.py")
    assert [one.code for one in first.items] == ["GG101"]
    assert (await pull(editor, "a.py", first.result_id)).kind == "unchanged"
    document = types.VersionedTextDocumentIdentifier(2, editor.uri("a.py"))
    change = insert(0, 0, "\n")
    editor.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
    second = await pull(editor, "a.py", first.result_id)
    assert second.items[0].range == at(4, 0, 6)
    assert editor.client.diagnostics == {}, "nothing is pushed to a client that pulls"


async def test_the_workspace_is_pulled_from_disk_and_open_documents(start: Start, stale: str) -> None:
    editor = await start(options={"diagnosticMode": "workspace"}, text_document=PULLING)
    for name, text in {"bad.py": stale, "good.py": "x = 1\n", "open.py": "x = 1\n"}.items():
        (editor.folder / name).write_text(text)
    tell_open(editor, "open.py", stale)
    await pull(editor, "open.py")
    editor.client.progress_reports["work"] = []
    params = types.WorkspaceDiagnosticParams([], work_done_token="work")
    report = await editor.client.workspace_diagnostic_async(params)
    found = {one.uri.rsplit("/", 1)[-1]: [item.code for item in one.items] for one in report.items}
    assert found == {"bad.py": ["GG101"], "good.py": [], "open.py": ["GG101"]}
    begin, *_, end = editor.client.progress_reports["work"]
    assert (type(begin), type(end)) == (types.WorkDoneProgressBegin, types.WorkDoneProgressEnd)
    known = [types.PreviousResultId(one.uri, one.result_id) for one in report.items]
    (editor.folder / "good.py").write_text(stale)
    again = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(known))
    kinds = {one.uri.rsplit("/", 1)[-1]: one.kind for one in again.items}
    assert kinds == {"bad.py": "unchanged", "good.py": "full", "open.py": "unchanged"}
