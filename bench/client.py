"""A client of language servers: no more of the protocol than is needed to type."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PATIENCE = 30.0
"""seconds to wait for an answer or for diagnostics"""


@dataclass
class Document:
    """A text that is open in a server; a cell has the URI of its notebook, too."""

    uri: str
    notebook: str | None = None
    version: int = 1


class Client:
    """A language server at the other end of two pipes."""

    def __init__(self, command: list[str], root: Path, cache: Path | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
            env={**os.environ, "GRADGUARD_CACHE_DIR": str(cache or "")},
        )
        self.root = root
        self.capabilities: dict[str, Any] = {}
        self._numbers = itertools.count(1)
        self._sending = threading.Lock()
        self._arrived = threading.Condition()
        self._answers: dict[int, Any] = {}
        self._published: dict[str, list[tuple[float, int | None]]] = {}
        """when diagnostics of a text came, and of which version, by URI"""
        threading.Thread(target=self._listen, daemon=True).start()

    # -- messages ------------------------------------------------------------------------------------

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        with self._sending:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def request(self, method: str, **params: Any) -> Any:
        """Send a request and wait for its answer."""
        number = next(self._numbers)
        self.send({"id": number, "method": method, "params": params})
        self._wait(lambda: number in self._answers)
        return self._answers.pop(number)

    def _wait(self, done: Callable[[], bool]) -> None:
        with self._arrived:
            if not self._arrived.wait_for(done, PATIENCE):
                raise TimeoutError(f"{self.process.args} does not answer")

    def _messages(self) -> Iterator[tuple[float, dict[str, Any]]]:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                header = stream.readline()
            body = stream.read(length)
            yield time.perf_counter(), json.loads(body)

    def _listen(self) -> None:
        for came, message in self._messages():
            method = message.get("method")
            if "id" in message and method:  # the server asks: nothing is known here
                items = message["params"].get("items", []) if method == "workspace/configuration" else None
                self.send({"id": message["id"], "result": None if items is None else [None] * len(items)})
                continue
            with self._arrived:
                if method == "textDocument/publishDiagnostics":
                    params = message["params"]
                    self._published.setdefault(params["uri"], []).append((came, params.get("version")))
                elif not method:
                    self._answers[message["id"]] = message.get("result")
                self._arrived.notify_all()

    # -- the session ---------------------------------------------------------------------------------

    def initialize(self) -> None:
        """Say hello, as a client that has diagnostics pushed."""
        capabilities = {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {"publishDiagnostics": {"versionSupport": True}},
            "notebookDocument": {"synchronization": {"dynamicRegistration": False}},
            "workspace": {"configuration": True},
        }
        uri = self.root.as_uri()
        folders = [{"uri": uri, "name": self.root.name}]
        answer = self.request(
            "initialize", processId=None, rootUri=uri, workspaceFolders=folders, capabilities=capabilities
        )
        self.capabilities = answer["capabilities"]
        self.notify("initialized")

    @property
    def knows_notebooks(self) -> bool:
        """Whether the server follows the cells of notebooks."""
        return "notebookDocumentSync" in self.capabilities

    def stop(self) -> None:
        """Say goodbye; a server that does not hear it is ended."""
        with suppress(TimeoutError):
            self.request("shutdown")
            self.notify("exit")
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def memory(self) -> float:
        """The most memory that the server's processes had so far, in MiB; 0 where that cannot be told."""
        found = {}
        for status in Path("/proc").glob("[0-9]*/status"):
            with suppress(OSError):
                found[int(status.parent.name)] = dict(line.split(":", 1) for line in status.read_text().splitlines())
        own = {self.process.pid}
        for number, status_of in sorted(found.items()):
            if int(status_of["PPid"]) in own:
                own.add(number)
        return sum(int(found[number].get("VmHWM", "0").split()[0]) for number in own & found.keys()) / 1024

    # -- documents -----------------------------------------------------------------------------------

    def open(self, path: Path, text: str) -> Document:
        """Open a file."""
        self.notify("textDocument/didOpen", textDocument=_item(path.as_uri(), text))
        return Document(path.as_uri())

    def open_notebook(self, path: Path, cells: Sequence[str]) -> list[Document]:
        """Open a notebook of Python's cells."""
        uris = [f"vscode-notebook-cell:{path.as_posix()}#W{number}" for number in range(len(cells))]
        self.notify(
            "notebookDocument/didOpen",
            notebookDocument={
                "uri": path.as_uri(),
                "notebookType": "jupyter-notebook",
                "version": 1,
                "cells": [{"kind": 2, "document": uri} for uri in uris],
            },
            cellTextDocuments=[_item(uri, text) for uri, text in zip(uris, cells, strict=True)],
        )
        return [Document(uri, path.as_uri()) for uri in uris]

    def insert(self, document: Document, line: int, column: int, text: str) -> float:
        """Insert a text; when that was sent."""
        document.version += 1
        at = {"line": line, "character": column}
        named = {"uri": document.uri, "version": document.version}
        changes = [{"range": {"start": at, "end": at}, "text": text}]
        sent = time.perf_counter()
        if document.notebook is None:
            self.notify("textDocument/didChange", textDocument=named, contentChanges=changes)
        else:
            self.notify(
                "notebookDocument/didChange",
                notebookDocument={"uri": document.notebook, "version": document.version},
                change={"cells": {"textContent": [{"document": named, "changes": changes}]}},
            )
        return sent

    def came(self, document: Document, version: int, since: float) -> float | None:
        """When the first diagnostics of a version, or of a later one, came after a time; None if they have not.

        Those of a server that names no version are of the newest.
        """
        for came, of in self._published.get(document.uri, []):
            if came > since and (of is None or of >= version):
                return came
        return None

    def diagnosed(self, document: Document, since: float) -> float:
        """Wait for the diagnostics of a document as it is now; when they came. Raises TimeoutError."""
        self._wait(lambda: self.came(document, document.version, since) is not None)
        came = self.came(document, document.version, since)
        assert came is not None
        return came


def _item(uri: str, text: str) -> dict[str, Any]:
    return {"uri": uri, "languageId": "python", "version": 1, "text": text}
