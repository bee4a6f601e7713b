"""What a client can do wrong, and the life of a session."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from gradguard.lsp.server import GradGuardServer
from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from .conftest import Editor, Start

COMMAND = [sys.executable, "-c", "import sys; from gradguard.lsp.server import main; sys.exit(main())"]
INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}


class Wire:
    """A client without any manners: it sends bytes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def send(self, body: bytes) -> None:
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        await self.process.stdin.drain()

    async def call(self, method: str, params: object = None, number: object = 1) -> dict[str, Any]:
        await self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        return await self.answer()

    async def tell(self, method: str, params: object) -> None:
        await self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    async def answer(self) -> dict[str, Any]:
        """Return the next response; notifications are passed over."""
        while True:
            header = await asyncio.wait_for(self.process.stdout.readuntil(b"\r\n\r\n"), 20)
            length = next(int(line[15:]) for line in header.split(b"\r\n") if line.startswith(b"Content-Length:"))
            message = json.loads(await self.process.stdout.readexactly(length))
            if "method" not in message:
                return message

    async def answers(self, *awaited: object) -> dict[object, int]:
        """Return how many responses came for each id, until there is one for each of those awaited."""
        count: dict[object, int] = {}
        while not {*awaited} <= count.keys():
            number = (await self.answer()).get("id")
            count[number] = count.get(number, 0) + 1
        return count

    async def code(self) -> int:
        return (await self.answer())["error"]["code"]


@contextlib.asynccontextmanager
async def running(folder: Path | None = None) -> AsyncIterator[Wire]:
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*COMMAND, stdin=pipe, stdout=pipe, stderr=nowhere, cwd=folder)
    yield Wire(process)
    if process.returncode is None:
        process.kill()
    await process.wait()


@pytest_asyncio.fixture
async def wire(tmp_path: Path) -> AsyncIterator[Wire]:
    """A server that has just started."""
    async with running(tmp_path) as fresh:
        yield fresh


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def survivor() -> AsyncIterator[Wire]:
    """The one server that goes through everything that is thrown at it."""
    async with running() as old:
        assert "result" in await old.call("initialize", INITIALIZE)
        yield old


async def alive(wire: Wire) -> bool:
    """Whether the server still answers sensibly."""
    answer = await wire.call("textDocument/hover", hover_params("file:///nowhere.py"), "alive")
    return answer == {"id": "alive", "jsonrpc": "2.0", "result": None}


async def test_a_method_of_our_own_needs_no_params(wire: Wire) -> None:
    await wire.call("initialize", INITIALIZE)
    await wire.send(b'{"jsonrpc": "2.0", "id": 5, "method": "gradguard/checkWorkspace"}')
    assert (await wire.answer())["result"] == {"files": 0, "problems": 0}


def hover_params(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}


PARSE_ERROR, INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS, NOT_INITIALIZED = -32700, -32600, -32601, -32602, -32002

MALFORMED = [
    pytest.param(b"{", PARSE_ERROR, id="broken JSON"),
    pytest.param(b"\xff\xfe", PARSE_ERROR, id="no text"),
    pytest.param(b"[" * 100_000, PARSE_ERROR, id="nested too deeply"),
    pytest.param(b"[]", INVALID_REQUEST, id="a batch"),
    pytest.param(b"1", INVALID_REQUEST, id="a number"),
    pytest.param(b'{"id": 1, "method": "textDocument/hover"}', INVALID_REQUEST, id="without jsonrpc"),
    pytest.param(b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', NOT_FOUND, id="unknown method"),
    pytest.param(b'{"jsonrpc": "2.0", "id": 1, "method": 7}', INVALID_REQUEST, id="method is a number"),
    pytest.param(b'{"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover"}', INVALID_PARAMS, id="no params"),
    pytest.param(
        b'{"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {"textDocument": 3}}',
        INVALID_PARAMS,
        id="wrong params",
    ),
    pytest.param(
        b'{"jsonrpc": "2.0", "id": [1], "method": "textDocument/hover", "params": {}}',
        INVALID_PARAMS,
        id="id is a list",
    ),
    pytest.param(
        b'{"jsonrpc": "2.0", "id": 1, "method": "textDocument/didSave",'
        b' "params": {"textDocument": {"uri": "file:///a.py"}}}',
        INVALID_REQUEST,
        id="notification with an id",
    ),
    pytest.param(
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": null, "capabilities": {}}}',
        INVALID_REQUEST,
        id="initialize again",
    ),
    pytest.param(
        b'{"jsonrpc": "2.0", "id": 1, "method": "codeAction/resolve", "params": {"title": "x", "data": {"uri": 3}}}',
        INVALID_PARAMS,
        id="somebody else's code action",
    ),
]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("body", "code"), MALFORMED)
async def test_a_malformed_request_gets_an_error_and_the_server_lives_on(
    survivor: Wire, body: bytes, code: int
) -> None:
    await survivor.send(body)
    assert await survivor.code() == code
    assert await alive(survivor)


NOTIFICATIONS = [
    ("textDocument/didChange", {"textDocument": {"uri": "file:///no.py", "version": 2}, "contentChanges": []}),
    ("textDocument/didChange", {"textDocument": {"uri": "file:///no.py"}}),
    ("textDocument/didClose", {"textDocument": {"uri": "file:///no.py"}}),
    ("textDocument/didClose", {"textDocument": {"uri": "no uri at all"}}),
    ("textDocument/didOpen", {}),
    ("textDocument/hover", hover_params("file:///a.py")),
    ("workspace/didChangeConfiguration", {"settings": 3}),
    ("workspace/didChangeWatchedFiles", {"changes": [{"uri": "", "type": 1}]}),
    ("$/cancelRequest", {"id": 77}),
    ("$/cancelRequest", None),
    ("$/unknown", {"a": 1}),
]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("method", "params"), NOTIFICATIONS)
async def test_a_wrong_notification_changes_nothing(survivor: Wire, method: str, params: object) -> None:
    await survivor.tell(method, params)
    assert await alive(survivor)


TEXT = {"uri": "file:///fuzz.py", "version": 1, "languageId": "python", "text": "import torch\nx = torch.ones(3)\n"}
CELL = {**TEXT, "uri": "cell:a"}
RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 1}}
VALID: list[tuple[str, dict[str, Any]]] = [
    ("textDocument/didOpen", {"textDocument": TEXT}),
    (
        "textDocument/didChange",
        {"textDocument": TEXT, "contentChanges": [{"text": "x = 1"}, {"range": RANGE, "text": "y"}]},
    ),
    ("textDocument/didClose", {"textDocument": TEXT}),
    (
        "notebookDocument/didOpen",
        {
            "notebookDocument": {
                "uri": "file:///fuzz.ipynb",
                "notebookType": "jupyter-notebook",
                "version": 1,
                "cells": [{"kind": 2, "document": "cell:a"}],
            },
            "cellTextDocuments": [CELL],
        },
    ),
    (
        "notebookDocument/didChange",
        {
            "notebookDocument": {"uri": "file:///fuzz.ipynb", "version": 2},
            "change": {
                "cells": {
                    "structure": {"array": {"start": 0, "deleteCount": 1, "cells": []}, "didOpen": [CELL]},
                    "data": [{"kind": 1, "document": "cell:a"}],
                    "textContent": [{"document": CELL, "changes": [{"range": RANGE, "text": "y"}]}],
                }
            },
        },
    ),
    ("notebookDocument/didClose", {"notebookDocument": {"uri": "file:///fuzz.ipynb"}, "cellTextDocuments": [CELL]}),
    ("textDocument/hover", {"textDocument": TEXT, "position": RANGE["end"]}),
    ("textDocument/documentHighlight", {"textDocument": TEXT, "position": RANGE["end"]}),
    ("textDocument/inlayHint", {"textDocument": TEXT, "range": RANGE}),
    ("inlayHint/resolve", {"position": RANGE["end"], "label": "a", "data": {"key": "hint-changed"}}),
    ("textDocument/codeAction", {"textDocument": TEXT, "range": RANGE, "context": {"diagnostics": []}}),
    ("codeAction/resolve", {"title": "a", "data": {"uri": TEXT["uri"], "version": 1, "do": "fix", "finding": 0}}),
    ("textDocument/diagnostic", {"textDocument": TEXT, "previousResultId": "1"}),
    ("gradguard/versionStory", {"textDocument": TEXT, "position": RANGE["end"]}),
    ("gradguard/release", {"textDocument": TEXT}),
    ("workspace/didChangeConfiguration", {"settings": {"gradguard": {"inlayHints": "all", "select": ["GG1"]}}}),
    ("workspace/didChangeWatchedFiles", {"changes": [{"uri": TEXT["uri"], "type": 2}]}),
    ("workspace/didChangeWorkspaceFolders", {"event": {"added": [{"uri": "file:///f", "name": "f"}], "removed": []}}),
    ("gradguard/checkWorkspace", None),
    ("$/setTrace", {"value": "verbose"}),
    (
        "workspace/diagnostic",
        {
            "previousResultIds": [{"uri": TEXT["uri"], "value": "1"}],
            "partialResultToken": "part",
            "workDoneToken": "work",
        },
    ),
    ("workspace/executeCommand", {"command": "fix", "arguments": [1]}),
    ("window/workDoneProgress/cancel", {"token": "work"}),
    ("$/cancelRequest", {"id": 3}),
    ("initialized", {}),
    ("initialize", INITIALIZE),
]
ODD = [None, True, -1, 0, 2**31, 10**30, 1.5, "", "\ud800", "file://[", "😀" * 3, [], [None], {}, {"start": -1}]


def mutated(value: Any, chance: random.Random) -> Any:
    """A message's parameters with something wrong in them, here or there."""
    if chance.random() < 0.12:
        return chance.choice(ODD)
    if isinstance(value, dict):
        kept = [key for key in value if chance.random() > 0.05]
        return {key: mutated(value[key], chance) for key in kept}
    if isinstance(value, list):
        return [mutated(one, chance) for one in value for _ in range(chance.choice([1, 1, 1, 0, 2]))]
    return value


def test_every_method_that_is_served_takes_part() -> None:
    features = GradGuardServer().protocol.fm
    served = {*features.features, *features.builtin_features, "$/cancelRequest"}
    assert served - {"shutdown", "exit"} == {method for method, _ in VALID}


@pytest.mark.parametrize("seed", range(2))
async def test_nonsense_in_any_order_is_answered_and_survived(wire: Wire, seed: int, stale: str) -> None:
    """Requests and notifications with wrong parameters, as the other of the two, and out of order."""
    chance = random.Random(seed)
    await wire.call("initialize", INITIALIZE)
    asked = []
    for number in range(400):
        method, params = chance.choice(VALID)
        message = {"jsonrpc": "2.0", "method": method, "params": mutated(params, chance)}
        if chance.random() < (0.1 if "/did" in method else 0.9):
            message["id"] = f"fuzz {number}"
            asked.append(message["id"])
        await wire.send(json.dumps(message).encode())
    await wire.tell("workspace/didChangeConfiguration", {"settings": {"gradguard": {"select": ["GG1"]}}})
    await wire.tell("textDocument/didOpen", {"textDocument": {**TEXT, "uri": "file:///last.py", "text": stale}})
    await wire.tell("$/setTrace", {"value": "off"})
    pull = {"textDocument": {"uri": "file:///last.py"}}
    await wire.send(
        json.dumps({"jsonrpc": "2.0", "id": "last", "method": "textDocument/diagnostic", "params": pull}).encode()
    )
    answers = await wire.answers("last", *asked)
    hover = {"textDocument": pull["textDocument"], "position": {"line": 3, "character": 0}}
    await wire.send(
        json.dumps({"jsonrpc": "2.0", "id": "end", "method": "textDocument/hover", "params": hover}).encode()
    )
    answers |= await wire.answers("end")
    assert {number: answers.get(number) for number in asked} == dict.fromkeys(asked, 1)
    assert "version 1" in str(await wire.call("textDocument/hover", hover))


async def test_requests_wait_for_initialize(wire: Wire) -> None:
    await wire.tell("textDocument/didOpen", {"textDocument": {"uri": "a", "languageId": "", "version": 1, "text": ""}})
    answer = await wire.call("textDocument/hover", hover_params("file:///a.py"))
    assert answer["error"]["code"] == NOT_INITIALIZED
    assert "result" in await wire.call("initialize", INITIALIZE)


async def test_after_shutdown_there_is_only_exit(wire: Wire) -> None:
    await wire.call("initialize", INITIALIZE)
    assert (await wire.call("shutdown"))["result"] is None
    answer = await wire.call("textDocument/hover", hover_params("file:///a.py"))
    assert answer["error"]["code"] == INVALID_REQUEST
    await wire.tell("exit", None)
    assert await asyncio.wait_for(wire.process.wait(), 10) == 0


async def test_exit_without_shutdown_is_an_error(wire: Wire) -> None:
    await wire.call("initialize", INITIALIZE)
    await wire.tell("exit", None)
    assert await asyncio.wait_for(wire.process.wait(), 10) == 1


async def test_a_client_that_dies_takes_the_server_along(wire: Wire) -> None:
    await wire.call("initialize", INITIALIZE)
    wire.process.stdin.close()
    assert await asyncio.wait_for(wire.process.wait(), 10) == 1


@pytest.mark.skipif(os.name != "posix", reason="on Windows nobody asks whether a process lives")
async def test_the_server_ends_with_the_process_of_the_client(wire: Wire) -> None:
    """Its pipes may be held open by somebody else."""
    client = await asyncio.create_subprocess_exec("sleep", "60")
    await wire.call("initialize", {**INITIALIZE, "processId": client.pid})
    assert await alive(wire)
    client.kill()
    await client.wait()
    assert await asyncio.wait_for(wire.process.wait(), 20) == 1


async def test_unknown_documents_have_no_answers(editor: Editor) -> None:
    document = types.TextDocumentIdentifier("file:///never/opened.py")
    place, everything = types.Position(0, 0), types.Range(types.Position(0, 0), types.Position(9, 9))
    client = editor.client
    assert await client.text_document_hover_async(types.HoverParams(document, place)) is None
    highlights = types.DocumentHighlightParams(document, place)
    assert not await client.text_document_document_highlight_async(highlights)
    assert not await client.text_document_inlay_hint_async(types.InlayHintParams(document, everything))
    context = types.CodeActionContext([])
    assert not await client.text_document_code_action_async(types.CodeActionParams(document, everything, context))
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
    assert not report.items


@pytest.mark.parametrize("position", [(10**9, 0), (3, 10**9), (2**31 - 1, 2**31 - 1)])
async def test_positions_out_of_range_are_tolerated(editor: Editor, stale: str, position: tuple[int, int]) -> None:
    await editor.open("a.py", stale)
    await editor.hover("a.py", *position)
    assert await editor.hover("a.py", 3, 0)


async def test_what_is_no_python_is_left_alone(editor: Editor, stale: str) -> None:
    item = types.TextDocumentItem(editor.uri("a.toml"), "toml", 1, stale)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    assert await editor.hover("a.toml", 3, 0) is None


async def test_an_untitled_buffer_is_python_by_its_language(editor: Editor, stale: str) -> None:
    item = types.TextDocumentItem("untitled:Untitled-1", "python", 1, stale)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    assert await editor.published("untitled:Untitled-1", 1)


async def test_a_buffer_that_gets_a_name_starts_anew(editor: Editor, stale: str) -> None:
    item = types.TextDocumentItem("untitled:Untitled-1", "python", 7, stale)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    assert await editor.published("untitled:Untitled-1", 7)
    identifier = types.TextDocumentIdentifier("untitled:Untitled-1")
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
    assert await editor.published("untitled:Untitled-1", 7) == []
    assert len(await editor.open("named.py", stale)) == 1


async def test_an_unnamed_buffer_belongs_to_the_folder(editor: Editor, stale: str) -> None:
    (editor.folder / "gradguard.toml").write_text('ignore = ["GG101"]\n')
    item = types.TextDocumentItem("untitled:Untitled-1", "python", 1, stale)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    assert await editor.published("untitled:Untitled-1", 1) == []


async def test_a_crash_costs_one_document_and_is_logged_once(start: Start, stale: str) -> None:
    editor = await start(command=[sys.executable, str(Path(__file__).with_name("crashing.py"))])
    await editor.open("good.py", stale)
    assert await editor.open("bad.py", "import torch  # crash the replay\n") == []
    await editor.change(
        "bad.py", types.TextDocumentContentChangePartial(types.Range(types.Position(0, 0), types.Position(0, 0)), "#")
    )
    errors = [one for one in editor.client.log_messages if one.type == types.MessageType.Error]
    assert len(errors) == 1
    assert "asked to crash" in errors[0].message
    assert await editor.hover("bad.py", 0, 0) is None
    assert await editor.hover("good.py", 3, 0)
    assert await editor.retype("bad.py", stale)


async def test_a_function_that_crashes_the_replay_costs_its_own_answers_and_is_logged_once(
    start: Start, stale: str
) -> None:
    editor = await start(command=[sys.executable, str(Path(__file__).with_name("crashing.py"))])
    text = "def f(x):\n    y = x\n    return 'crash here'\n" + stale
    (found,) = await editor.open("a.py", text)
    assert (found.code, found.range.start.line) == ("GG101", 6)
    (found,) = await editor.retype("a.py", "\n" + text)
    assert (found.code, found.range.start.line) == ("GG101", 7)
    assert await editor.hover("a.py", 7, 0)
    (error,) = [one for one in editor.client.log_messages if one.type == types.MessageType.Error]
    assert (
        "f at " in error.message and "a.py:3, `return 'crash here'`: RuntimeError: asked to crash here" in error.message
    )
    assert "in crashing_there" in error.message, "the way there in our code"


async def test_a_rule_that_fails_costs_its_own_answer_and_is_logged_once(start: Start, stale: str) -> None:
    editor = await start(command=[sys.executable, str(Path(__file__).with_name("crashing.py"))])
    text = "import torch\ndef f():\n    return torch.ones(3, dtype=torch.int64, requires_grad=True)\n" + stale
    assert [one.code for one in await editor.open("a.py", text)] == ["GG101"]
    assert [one.code for one in await editor.retype("a.py", text + "\n")] == ["GG101"]
    (error,) = [one for one in editor.client.log_messages if one.type == types.MessageType.Error]
    assert "a.py:3, `torch.ones(3, dtype=torch.int64, requires_grad=True)`: RuntimeError: cannot tell" in error.message
    assert "in tell" in error.message


async def test_a_cancelled_request_is_answered_as_cancelled(editor: Editor, stale: str) -> None:
    await editor.open("a.py", stale)
    document = types.TextDocumentIdentifier(editor.uri("a.py"))
    params = types.HoverParams(document, types.Position(3, 0))
    asked = editor.client.protocol.send_request(types.TEXT_DOCUMENT_HOVER, params, msg_id="hover")
    editor.client.cancel_request(types.CancelParams("hover"))
    try:
        answer = await asyncio.wait_for(asyncio.wrap_future(asked), 10)
    except JsonRpcException as error:
        assert error.code == types.LSPErrorCodes.RequestCancelled
    else:
        assert answer is not None, "it was answered before the cancellation came"
    assert await editor.hover("a.py", 3, 0)


async def test_changes_faster_than_answers_end_with_the_last_text(editor: Editor, stale: str) -> None:
    await editor.open("a.py", "")
    document = editor.uri("a.py")
    for version in range(2, 200):
        text = stale if version % 2 else f"x = {version}\n"
        editor.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, document),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
    assert len(await editor.published(document, 199)) == 1


async def test_capabilities(editor: Editor) -> None:
    assert editor.server.server_info.name == "gradguard"
    capabilities = editor.server.capabilities
    assert capabilities.text_document_sync.change == types.TextDocumentSyncKind.Incremental
    assert capabilities.code_action_provider.resolve_provider
    assert set(capabilities.code_action_provider.code_action_kinds) == {"quickfix", "source.fixAll.gradguard"}
    assert capabilities.hover_provider
    assert capabilities.inlay_hint_provider
    assert capabilities.document_highlight_provider
