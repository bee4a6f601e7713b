"""Every method that the server announces, driven through a real client."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from gradguard.lsp.server import GradGuardServer
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import make_test_lsp_client

from .conftest import COMMAND, RICH, Editor, stop
from .test_diagnostics import until
from .test_notebooks import CHANGES, IMPORTS, SAVES, STALE, Book

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.asyncio(loop_scope="module")

DETAILS: set[str] = set()
"""says how something is served that is announced besides"""

BY_CAPABILITY: dict[str, set[str]] = {
    "positionEncoding": DETAILS,
    "textDocumentSync": DETAILS,
    "textDocumentSync.openClose": {"textDocument/didOpen", "textDocument/didClose"},
    "textDocumentSync.change": {"textDocument/didChange"},
    "notebookDocumentSync": {f"notebookDocument/{done}" for done in ("didOpen", "didChange", "didClose")},
    "notebookDocumentSync.notebookSelector": DETAILS,
    "hoverProvider": {"textDocument/hover"},
    "codeActionProvider": {"textDocument/codeAction"},
    "codeActionProvider.codeActionKinds": DETAILS,
    "codeActionProvider.resolveProvider": {"codeAction/resolve"},
    "documentHighlightProvider": {"textDocument/documentHighlight"},
    "inlayHintProvider": {"textDocument/inlayHint"},
    "inlayHintProvider.resolveProvider": {"inlayHint/resolve"},
    "diagnosticProvider": {"textDocument/diagnostic"},
    "diagnosticProvider.workspaceDiagnostics": {"workspace/diagnostic"},
    "diagnosticProvider.identifier": DETAILS,
    "diagnosticProvider.interFileDependencies": DETAILS,
    "diagnosticProvider.workDoneProgress": DETAILS,
    "workspace": DETAILS,
    "workspace.workspaceFolders": DETAILS,
    "workspace.workspaceFolders.supported": DETAILS,
    "workspace.workspaceFolders.changeNotifications": {"workspace/didChangeWorkspaceFolders"},
}
"""what announces which methods; a capability that isn't here is one that nobody has thought of"""

LIFE = {"initialize", "initialized", "shutdown", "exit"}
"""driven by starting and stopping"""

NEVER_CALLED = {"workspace/executeCommand", "window/workDoneProgress/cancel"}
"""what pygls has at hand, and the server announces nowhere"""

DRIVERS: dict[str, Any] = {}


def drives(*methods: str) -> Callable[[Any], Any]:
    def put(driver: Any) -> Any:
        DRIVERS.update(dict.fromkeys(methods, driver))
        return driver

    return put


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """One server for all of these tests, with a client that can do all that the server knows of."""
    folder = tmp_path_factory.mktemp("project")
    client = make_test_lsp_client()
    await client.start_io(*COMMAND)
    hints = types.InlayHintClientCapabilities(resolve_support=types.ClientInlayHintResolveOptions(["tooltip"]))
    text = types.TextDocumentClientCapabilities(
        **{one: getattr(RICH["text_document"], one) for one in ("publish_diagnostics", "hover", "code_action")},
        inlay_hint=hints,
    )
    sync = types.NotebookDocumentSyncClientCapabilities()
    capabilities = types.ClientCapabilities(
        text_document=text,
        workspace=RICH["workspace"],
        notebook_document=types.NotebookDocumentClientCapabilities(sync),
    )
    params = types.InitializeParams(
        capabilities=capabilities,
        workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "project")],
        initialization_options={"diagnosticMode": "workspace"},
    )
    yield Editor(client, folder, await client.initialize_session(params))
    await stop(client)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A file of the test's own."""
    return f"{abs(hash(request.node.name))}.py"


def listen(editor: Editor, method: str, heard: list[Any]) -> None:
    """Collect the notifications of a method."""
    editor.client.protocol.fm.features[method] = lambda params: heard.append(params)


def everything() -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(99, 0))


@drives("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose")
async def edit(editor: Editor, name: str, stale: str) -> None:
    assert await editor.open(name, "") == []
    assert len(await editor.retype(name, stale)) == 1
    identifier = types.TextDocumentIdentifier(editor.uri(name))
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
    assert await editor.published(editor.uri(name), 2) == []


@drives("notebookDocument/didOpen", "notebookDocument/didChange", "notebookDocument/didClose")
async def edit_notebook(editor: Editor, name: str, stale: str) -> None:
    book = Book(editor, a=IMPORTS, b=SAVES)
    book.structure(2, 0, opened={"c": CHANGES})
    await book.shows(c=STALE)
    identifiers = [types.TextDocumentIdentifier(book.at(cell)) for cell in "abc"]
    identifier = types.NotebookDocumentIdentifier(book.uri)
    editor.client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(identifier, identifiers))
    await book.shows(c=[])


@drives("textDocument/hover")
async def hover(editor: Editor, name: str, stale: str) -> None:
    await editor.open(name, stale)
    assert "version 1" in await editor.hover(name, 3, 0)


@drives("textDocument/codeAction", "codeAction/resolve")
async def act(editor: Editor, name: str, stale: str) -> None:
    await editor.open(name, stale)
    first, *_ = await editor.actions(name, 3)
    assert first.edit is None
    assert await editor.resolve(first)


@drives("textDocument/documentHighlight")
async def highlight(editor: Editor, name: str, stale: str) -> None:
    await editor.open(name, stale)
    params = types.DocumentHighlightParams(types.TextDocumentIdentifier(editor.uri(name)), types.Position(3, 3))
    marks = await editor.client.text_document_document_highlight_async(params)
    assert {mark.kind for mark in marks} == {types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write}


@drives("textDocument/inlayHint", "inlayHint/resolve")
async def hint(editor: Editor, name: str, stale: str) -> None:
    await editor.open(name, stale)
    params = types.InlayHintParams(types.TextDocumentIdentifier(editor.uri(name)), everything())
    saved, changed = await editor.client.text_document_inlay_hint_async(params)
    assert (saved.tooltip, changed.tooltip) == (None, None)
    resolved = [await editor.client.inlay_hint_resolve_async(one) for one in (saved, changed)]
    assert resolved[0].tooltip == "exp saved this tensor for backward at version 0."
    assert resolved[1].tooltip == "+= moves the version counter from 0 to 1."


@drives("textDocument/diagnostic")
async def pull(editor: Editor, name: str, stale: str) -> None:
    await editor.open(name, stale)
    params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(editor.uri(name)))
    report = await editor.client.text_document_diagnostic_async(params)
    assert [one.code for one in report.items] == ["GG101"]
    params.previous_result_id = report.result_id
    again = await editor.client.text_document_diagnostic_async(params)
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)


@drives("workspace/diagnostic")
async def pull_all(editor: Editor, name: str, stale: str) -> None:
    (editor.folder / name).write_text(stale)
    parts: list[types.ProgressParams] = []
    listen(editor, types.PROGRESS, parts)
    settings = types.DidChangeConfigurationParams({"gradguard": {"diagnosticMode": "workspace"}})
    editor.client.workspace_did_change_configuration(settings)
    created = types.FileEvent(editor.uri(name), types.FileChangeType.Created)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([created]))
    params = types.WorkspaceDiagnosticParams([], partial_result_token="part")
    assert list((await editor.client.workspace_diagnostic_async(params)).items) == []
    found = {one["uri"]: [item["code"] for item in one["items"]] for part in parts for one in part.value["items"]}
    assert found[editor.uri(name)] == ["GG101"]


@drives("workspace/didChangeWorkspaceFolders")
async def add_folder(editor: Editor, name: str, stale: str) -> None:
    """A folder with a configuration of its own: what its files import is looked for there."""
    other: Path = editor.folder.parent / f"other{name}"
    other.mkdir()
    (other / "gradguard.toml").write_text('ignore = ["GG101"]\n')
    (other / "a.py").write_text(stale)
    folder = types.WorkspaceFolder(other.as_uri(), "other")
    event = types.WorkspaceFoldersChangeEvent([folder], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    report = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert [len(one.items) for one in report.items if one.uri == (other / "a.py").as_uri()] == [0]
    event = types.WorkspaceFoldersChangeEvent([], [folder])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    report = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert all("other" not in one.uri for one in report.items)


@drives("workspace/didChangeConfiguration")
async def configure(editor: Editor, name: str, stale: str) -> None:
    assert await editor.open(name, stale)
    for settings, count in ({"ignore": ["GG1"]}, 0), ({}, 1):
        params = types.DidChangeConfigurationParams({"gradguard": settings})
        editor.client.workspace_did_change_configuration(params)
        assert len(await editor.published(editor.uri(name), 1)) == count


@drives("workspace/didChangeWatchedFiles")
async def change_files(editor: Editor, name: str, stale: str) -> None:
    assert await editor.open(name, stale)
    config = editor.folder / "gradguard.toml"
    for settings, count in ('ignore = ["GG101"]\n', 0), ("", 1):
        config.write_text(settings)
        event = types.FileEvent(config.as_uri(), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        assert len(await editor.published(editor.uri(name), 1)) == count
    config.unlink()


@drives("$/setTrace")
async def trace(editor: Editor, name: str, stale: str) -> None:
    traced: list[types.LogTraceParams] = []
    listen(editor, types.LOG_TRACE, traced)
    editor.client.set_trace(types.SetTraceParams(types.TraceValue.Verbose))
    await editor.open(name, stale)
    await until(lambda: any(name in one.message and name in one.verbose for one in traced))
    editor.client.set_trace(types.SetTraceParams(types.TraceValue.Off))


@drives("gradguard/checkWorkspace")
async def check_all(editor: Editor, name: str, stale: str) -> None:
    (editor.folder / name).write_text(stale)
    answer = await editor.client.protocol.send_request_async("gradguard/checkWorkspace", None)
    assert answer.files >= 1
    assert answer.problems >= 1


@drives("gradguard/versionStory")
async def tell(editor: Editor, name: str, stale: str) -> None:
    await editor.open(name, stale)
    params = {"textDocument": {"uri": editor.uri(name)}, "position": {"line": 3, "character": 0}}
    answer = await editor.client.protocol.send_request_async("gradguard/versionStory", params)
    assert answer.name == "y"


@drives("gradguard/release")
async def tell_release(editor: Editor, name: str, stale: str) -> None:
    await editor.open(name, stale)
    answer = await editor.client.protocol.send_request_async(
        "gradguard/release", {"textDocument": {"uri": editor.uri(name)}}
    )
    assert answer.text.startswith(f"PyTorch {answer.number} (")


@pytest.mark.parametrize("method", DRIVERS)
async def test_it_does_what_it_is_for(server: Editor, name: str, stale: str, method: str) -> None:
    await asyncio.wait_for(DRIVERS[method](server, name, stale), 60)


def announced(capabilities: dict[str, Any], above: str = "") -> Iterator[str]:
    """The capabilities that an answer to `initialize` has, with those inside them."""
    for name, value in capabilities.items():
        if value not in (None, False, {}):
            yield above + name
            if isinstance(value, dict):
                yield from announced(value, f"{above}{name}.")


async def test_everything_announced_is_driven(server: Editor) -> None:
    names = {*announced(get_converter().unstructure(server.server.capabilities))}
    assert names <= BY_CAPABILITY.keys()
    assert set().union(*(BY_CAPABILITY[name] for name in names)) <= DRIVERS.keys()
    assert {"hoverProvider", "codeActionProvider.resolveProvider", "notebookDocumentSync"} <= names


async def test_everything_served_is_driven() -> None:
    features = GradGuardServer().protocol.fm
    assert {*features.features, *features.builtin_features} - LIFE - NEVER_CALLED == DRIVERS.keys()
