"""The diagnostics of all files of the workspace, for clients that ask for them."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from gradguard.analyses.domain.paths import Unwanted
from gradguard.lsp.closed_files import check_folders
from gradguard.lsp.memory import FOLDER
from gradguard.lsp.settings import Settings
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .test_diagnostics import PULLING, pull, tell_open, until
from .test_memory import REMEMBERED, kept, rewrite
from .test_protocol import INITIALIZE, running

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Editor, Start

REFRESHED = types.WorkspaceClientCapabilities(
    diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
)
MUCH = "import torch\n" + "".join(
    f"def f{n}(x):\n" + "    y = torch.exp(x)\n" * 40 + "    return y\n" for n in range(40)
)
"""some of it; ten files of this take seconds"""


WHOLE = {"diagnosticMode": "workspace"}


async def pull_all(editor: Editor, **params: Any) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of each file, by its name."""
    asked = types.WorkspaceDiagnosticParams([], **params)
    report = await editor.client.workspace_diagnostic_async(asked)
    return {one.uri.rsplit("/", 1)[-1]: list(one.items) for one in report.items}


async def test_it_is_said_how_far_the_work_has_got(start: Start, stale: str) -> None:
    editor = await start(options=WHOLE, text_document=PULLING)
    for name in ("a.py", "b.py"):
        (editor.folder / name).write_text(stale)
    editor.client.progress_reports["work"] = []
    await pull_all(editor, work_done_token="work")
    _, *reports, _ = editor.client.progress_reports["work"]
    assert [(one.message, one.percentage) for one in reports] == [("2/2", 100)]


async def test_messages_are_in_the_locale(start: Start, stale: str) -> None:
    editor = await start(options=WHOLE, text_document=PULLING, locale="zh-CN")
    (editor.folder / "a.py").write_text(stale + "x = 1  # gradguard: ignore[GG101]\n")
    found, idle = (await pull_all(editor))["a.py"]
    assert "报错" in found.message
    assert idle.code == "GG900" and "GG101" in idle.message and not idle.message.isascii()


async def test_a_notebook_that_is_not_open_says_itself_where(start: Start, stale: str) -> None:
    editor = await start(options=WHOLE, text_document=PULLING)
    head, tail = stale[: stale.index("y += 1")], stale[stale.index("y += 1") :]
    cells = [{"cell_type": "code", "metadata": {}, "source": text} for text in (head, tail)]
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (editor.folder / "book.ipynb").write_text(json.dumps(book))
    ((found,),) = (await pull_all(editor)).values()
    assert (found.code, found.range.start) == ("GG101", types.Position(0, 0))
    assert found.message.startswith("cell 2, line 1: `y.sum().backward()` will raise: it needs `y`")


async def test_what_was_found_before_is_not_looked_for_again(start: Start, stale: str, tmp_path: Path) -> None:
    cache = tmp_path.parent / f"{tmp_path.name}-cache"
    (tmp_path / "a.py").write_text(stale)
    ((found,),) = (await pull_all(await start(options=WHOLE, text_document=PULLING, cache=cache))).values()
    rewrite(await kept(cache))
    ((again,),) = (await pull_all(await start(options=WHOLE, text_document=PULLING, cache=cache))).values()
    assert REMEMBERED in again.message
    assert again.range == found.range
    (tmp_path / "a.py").write_text(stale + "\n")
    ((anew,),) = (await pull_all(await start(options=WHOLE, text_document=PULLING, cache=cache))).values()
    assert anew == found


async def test_a_document_that_is_as_it_was_is_answered_for_at_once(start: Start, stale: str, tmp_path: Path) -> None:
    """And the client is asked to look again, for that was not the last word."""
    cache = tmp_path / "cache"
    (tmp_path / "a.py").write_text(stale)
    first = await start(options=WHOLE, text_document=PULLING, cache=cache)
    tell_open(first, "a.py", stale)
    (found,) = (await pull(first, "a.py")).items
    rewrite(await kept(cache))
    asked: list[object] = []
    second = await start(options=WHOLE, text_document=PULLING, workspace=REFRESHED, cache=cache)
    second.client.protocol.fm.features[types.WORKSPACE_DIAGNOSTIC_REFRESH] = asked.append
    tell_open(second, "a.py", stale)
    (shown,) = (await pull(second, "a.py")).items
    assert REMEMBERED in shown.message
    asked.clear()
    await until(lambda: bool(asked))
    assert list((await pull(second, "a.py")).items) == [found]
    third = await start(options=WHOLE, text_document=PULLING, cache=cache)  # cannot be asked to look again
    tell_open(third, "a.py", stale)
    assert list((await pull(third, "a.py")).items) == [found]


def test_a_check_that_nobody_waits_for_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, "")
    (tmp_path / "a.py").write_text(MUCH)
    looks = iter([True] * 4)
    with pytest.raises(Unwanted):
        check_folders(Settings(), [str(tmp_path)], "en", lambda: next(looks, False))
    assert next(looks, None) is None, "it was asked until it had enough"


async def test_a_cancelled_request_is_cancelled_and_the_next_one_answered(start: Start, stale: str) -> None:
    editor = await start(options=WHOLE, text_document=PULLING)
    for number in range(10):
        (editor.folder / f"a{number}.py").write_text(MUCH + stale)
    params = types.WorkspaceDiagnosticParams([])
    asked = editor.client.protocol.send_request(types.WORKSPACE_DIAGNOSTIC, params, msg_id="all")
    await asyncio.sleep(0.2)
    editor.client.cancel_request(types.CancelParams("all"))
    with pytest.raises(JsonRpcException) as error:
        await asyncio.wait_for(asyncio.wrap_future(asked), 60)
    assert error.value.code == types.LSPErrorCodes.RequestCancelled
    assert [len(items) for items in (await asyncio.wait_for(pull_all(editor), 120)).values()] == [1] * 10


async def test_the_end_of_a_session_ends_a_check(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"a{number}.py").write_text(MUCH)
    folders = [{"uri": tmp_path.as_uri(), "name": "project"}]
    async with running() as wire:
        await wire.call("initialize", {**INITIALIZE, "workspaceFolders": folders})
        params = {"previousResultIds": []}
        await wire.send(
            json.dumps({"jsonrpc": "2.0", "id": "all", "method": "workspace/diagnostic", "params": params}).encode()
        )
        await asyncio.sleep(1)
        await wire.send(json.dumps({"jsonrpc": "2.0", "id": "end", "method": "shutdown"}).encode())
        assert (await wire.answers("end"))["end"] == 1
        await wire.tell("exit", None)
        assert await asyncio.wait_for(wire.process.wait(), 30) == 0


async def test_typing_goes_before_the_workspace(start: Start, stale: str, tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"much{number}.py").write_text(MUCH)
    editor = await start(options=WHOLE)
    await editor.open("a.py", stale)
    answered = asyncio.ensure_future(pull_all(editor))
    await asyncio.sleep(0.2)
    assert await editor.retype("a.py", "\n" + stale)
    assert not answered.done(), "the workspace has not been waited for"
    assert len(await asyncio.wait_for(answered, 120)) == 10


async def test_closed_files_are_told_of_as_the_settings_say(start: Start, stale: str) -> None:
    """By default those alone that an open program goes wrong in; a client that knows more hears that it is gone."""
    editor = await start(text_document=PULLING)
    (editor.folder / "other.py").write_text(stale)
    (editor.folder / "helper.py").write_text("def shift(t):\n    t += 1\n    return t\n")
    assert await pull_all(editor) == {}
    tell_open(editor, "a.py", "import helper\n" + stale.replace("y += 1", "helper.shift(y)"))
    await pull(editor, "a.py")
    assert {name: len(items) for name, items in (await pull_all(editor)).items()} == {"helper.py": 1}
    params = types.DidChangeConfigurationParams({"gradguard": WHOLE})
    editor.client.workspace_did_change_configuration(params)
    report = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert {one.uri.rsplit("/", 1)[-1] for one in report.items} == {"helper.py", "other.py"}
    known = [types.PreviousResultId(one.uri, one.result_id) for one in report.items]
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"gradguard": {"ignore": []}}))
    again = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(known))
    assert {one.uri.rsplit("/", 1)[-1]: one.items for one in again.items if one.kind == "full"} == {"other.py": ()}


async def test_a_client_that_does_not_ask_is_told_of_the_workspace(start: Start, stale: str) -> None:
    editor = await start(options=WHOLE)
    bad = editor.folder / "bad.py"
    bad.write_text(stale)
    (editor.folder / "good.py").write_text("x = 1\n")
    assert await editor.open("a.py", "x = 1\n") == []
    changed = types.DidChangeWatchedFilesParams([types.FileEvent(bad.as_uri(), types.FileChangeType.Created)])
    editor.client.workspace_did_change_watched_files(changed)
    assert [one.code for one in await editor.published(bad.as_uri(), None)] == ["GG101"]
    bad.write_text(stale.replace("y += 1", "y = y + 1"))
    editor.client.workspace_did_change_watched_files(changed)
    assert await editor.published(bad.as_uri(), None) == []
    bad.write_text(stale)
    editor.client.workspace_did_change_watched_files(changed)
    assert await editor.published(bad.as_uri(), None)
    editor.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"gradguard": {"select": None}})
    )
    assert await editor.published(bad.as_uri(), None) == []


@pytest.mark.parametrize("more", [{}, {"text_document": PULLING}])
async def test_the_workspace_can_be_checked_once(start: Start, stale: str, more: dict[str, Any]) -> None:
    editor = await start(**more)
    (editor.folder / "bad.py").write_text(stale)
    (editor.folder / "good.py").write_text("x = 1\n")
    told = asyncio.ensure_future(editor.published(editor.uri("bad.py"), None))
    answer = await editor.client.protocol.send_request_async("gradguard/checkWorkspace", None)
    assert (answer.files, answer.problems) == (2, 1)
    if more:
        told.cancel()
        assert {name: len(items) for name, items in (await pull_all(editor)).items()} == {"bad.py": 1, "good.py": 0}
    else:
        assert len(await told) == 1
        await editor.open("bad.py", "x = 1\n")  # what is typed counts, not what is on the disk
        answer = await editor.client.protocol.send_request_async("gradguard/checkWorkspace", None)
        assert (answer.files, answer.problems) == (2, 0)
