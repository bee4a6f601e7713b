"""A real server behind real pipes, and a client that talks to it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "gradguard", "server"]

RICH: dict[str, Any] = {
    "text_document": types.TextDocumentClientCapabilities(
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
            related_information=True,
            code_description_support=True,
            tag_support=types.ClientDiagnosticsTagOptions([types.DiagnosticTag.Unnecessary]),
        ),
        hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
        code_action=types.CodeActionClientCapabilities(
            data_support=True,
            resolve_support=types.ClientCodeActionResolveOptions(["edit"]),
            code_action_literal_support=types.ClientCodeActionLiteralOptions(
                types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix, types.CodeActionKind.Source])
            ),
        ),
    ),
    "workspace": types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
    ),
}
"""what a full-grown editor can do"""


class Editor:
    """A client as an editor uses it: it opens, types and asks."""

    def __init__(self, client: LanguageClient, folder: Path, result: types.InitializeResult) -> None:
        self.client = client
        self.folder = folder
        self.server = result
        self.versions: dict[str, int] = {}
        self._told: list[types.PublishDiagnosticsParams] = []
        self._news = asyncio.Event()
        handlers = client.protocol.fm.features
        self._store = handlers[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]
        handlers[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = self._hear

    def _hear(self, params: types.PublishDiagnosticsParams) -> None:
        """Keep what the server publishes: several may come before a test goes on."""
        self._store(params)
        self._told.append(params)
        self._news.set()

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def open(self, name: str, text: str) -> list[types.Diagnostic]:
        """Open a document and return its diagnostics."""
        uri = self.uri(name)
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.published(uri, 1)

    async def change(self, name: str, *changes: types.TextDocumentContentChangeEvent) -> list[types.Diagnostic]:
        """Send edits and return the diagnostics of the text that they lead to."""
        uri = self.uri(name)
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, list(changes)))
        return await self.published(uri, self.versions[uri])

    async def retype(self, name: str, text: str) -> list[types.Diagnostic]:
        return await self.change(name, types.TextDocumentContentChangeWholeDocument(text))

    async def published(self, uri: str, version: int | None) -> list[types.Diagnostic]:
        """Wait for the diagnostics of a version, among those that no earlier wait has passed over."""
        while True:
            while self._told:
                told = self._told.pop(0)
                if told.uri == uri and told.version == version:
                    return list(told.diagnostics)
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), 30)

    async def hover(self, name: str, line: int, column: int) -> str | None:
        place = types.Position(line, column)
        params = types.HoverParams(types.TextDocumentIdentifier(self.uri(name)), place)
        answer = await self.client.text_document_hover_async(params)
        return None if answer is None else answer.contents.value

    async def actions(self, name: str, line: int, only: list[str] | None = None) -> list[types.CodeAction]:
        """Ask for the code actions of a line, without telling which diagnostics it has."""
        place = types.Range(types.Position(line, 0), types.Position(line, 0))
        context = types.CodeActionContext([], only)
        params = types.CodeActionParams(types.TextDocumentIdentifier(self.uri(name)), place, context)
        return list(await self.client.text_document_code_action_async(params) or [])

    async def resolve(self, action: types.CodeAction) -> list[types.TextEdit]:
        """Resolve an action and return the edits of the one document that it is about."""
        resolved = await self.client.code_action_resolve_async(action)
        (change,) = resolved.edit.document_changes
        assert change.text_document.version == self.versions[change.text_document.uri]
        return list(change.edits)


Start = Callable[..., Any]


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """A function that starts a server and returns an Editor."""
    async with contextlib.AsyncExitStack() as stack:

        async def begin(
            command: list[str] = COMMAND,
            options: Any = None,
            encodings: list[types.PositionEncodingKind] | None = None,
            locale: str | None = None,
            cache: Path | None = None,
            **capabilities: Any,
        ) -> Editor:
            client = make_test_lsp_client()
            await client.start_io(*command, env={**os.environ, "GRADGUARD_CACHE_DIR": str(cache or "")})
            stack.push_async_callback(stop, client)
            general = types.GeneralClientCapabilities(position_encodings=encodings)
            params = types.InitializeParams(
                capabilities=types.ClientCapabilities(general=general, **{**RICH, **capabilities}),
                workspace_folders=[types.WorkspaceFolder(tmp_path.as_uri(), "project")],
                initialization_options=options,
                locale=locale,
            )
            return Editor(client, tmp_path, await client.initialize_session(params))

        yield begin


@pytest_asyncio.fixture
async def editor(start: Start) -> Editor:
    """An editor with all the usual capabilities."""
    return await start()


async def stop(client: LanguageClient) -> None:
    await client.shutdown_session()
    await client.stop()


@pytest.fixture
def stale() -> str:
    """A program with one failure, in line 3 (counted from 0)."""
    return "import torch\nx = torch.randn(3, requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()\n"
