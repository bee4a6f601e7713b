"""A long session with a real server: random edits of real files among requests and junk, in three encodings.

    python -m tests.lsp.soak [EDITS [SEED]]

After every edit the server has to tell what is wrong with that very text; where the text is sound, the same as one
that has just opened it; every request is answered; memory does not grow in the second half; and it ends when told to.
"""

from __future__ import annotations

import ast
import json
import os
import queue
import statistics
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from ..workspace.editing import FILES, Typist

PATIENCE = 60.0
"""Seconds without an answer that count as none."""

ENCODINGS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""Bytes of a unit, by encoding."""

ASTRAL = "# 𝔤𝔯𝔞𝔡𝔢 🙂 é\nastral = '🙂🙂' if True else '𝔵'\n"
JUNK = (b"{", b"[]", b"1", b"\xff\xfe", b'{"jsonrpc": "2.0", "id": 7}', b'{"jsonrpc": "2.0", "method": 3, "id": "j"}')
QUESTIONS = ("hover", "codeAction", "inlayHint", "documentHighlight", "diagnostic", "nonsense")


class Peer:
    """A server, and what it has said."""

    def __init__(self, encoding: str, cache: Path | str = "") -> None:
        command = [sys.executable, "-m", "gradguard", "server"]
        quiet = {**os.environ, "GRADGUARD_CACHE_DIR": str(cache)}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=quiet)
        self.said: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.number = 0
        self.waiting: set[int] = set()
        """requests without an answer yet"""
        threading.Thread(target=self._listen, daemon=True).start()
        general = {"positionEncodings": [encoding]}
        self.call("initialize", {"processId": None, "rootUri": None, "capabilities": {"general": general}})
        self.tell("initialized", {})

    def _listen(self) -> None:
        stream = self.process.stdout
        while line := stream.readline():
            length = int(line.split(b":")[1])
            while stream.readline().strip():
                pass
            self.said.put(json.loads(stream.read(length)))
        self.said.put(None)

    def send(self, body: bytes) -> None:
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def tell(self, method: str, params: object) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def ask(self, method: str, params: object) -> int:
        self.number += 1
        self.waiting.add(self.number)
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode())
        return self.number

    def call(self, method: str, params: object = None) -> dict[str, Any]:
        number = self.ask(method, params)
        return self.until(lambda message: message.get("id") == number and "method" not in message)

    def until(self, condition: Any) -> dict[str, Any]:
        """The next message of a kind; raises AssertionError where none comes."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                message = self.said.get(timeout=max(end - time.monotonic(), 0))
            except queue.Empty:
                raise AssertionError(f"the server says nothing for {PATIENCE:.0f} s") from None
            assert message is not None, f"the server ended with {self.process.wait()}"
            if "method" not in message:
                self.waiting.discard(message.get("id"))
            if condition(message):
                return message

    def published(self, uri: str, version: int) -> list[Any]:
        """The diagnostics of a version of a document."""

        def is_it(message: dict[str, Any]) -> bool:
            params = message.get("params") or {}
            named = message.get("method") == "textDocument/publishDiagnostics"
            return named and params["uri"] == uri and params.get("version") == version

        return list(self.until(is_it)["params"]["diagnostics"])

    def open(self, uri: str, text: str, version: int = 1) -> list[Any]:
        document = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return self.published(uri, version)

    def memory(self) -> float:
        """MiB that the server holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def rest(self, cache: Path, files: int) -> None:
        """Wait until what was found in so many files is kept."""
        end = time.monotonic() + PATIENCE
        while len(list(cache.glob("*.json"))) < files and time.monotonic() < end:
            time.sleep(0.1)

    def end(self) -> None:
        """Say goodbye; raises AssertionError where a request has no answer, or the server does not go."""
        while self.waiting:
            self.until(lambda message: "method" not in message)
        assert self.call("shutdown").get("error") is None
        self.tell("exit", None)
        assert self.process.wait(10) == 0


def changed(before: str, after: str, encoding: str) -> dict[str, Any]:
    """The one change that leads from a text to another, in a client's units."""
    most = min(len(before), len(after))
    start = next((i for i in range(most) if before[i] != after[i]), most)
    back = next((i for i in range(most - start) if before[-1 - i] != after[-1 - i]), most - start)
    places = [_position(before, at, encoding) for at in (start, len(before) - back)]
    return {"range": {"start": places[0], "end": places[1]}, "text": after[start : len(after) - back]}


def _position(text: str, offset: int, encoding: str) -> dict[str, int]:
    *lines, line = text[:offset].split("\n")
    codec = encoding if encoding == "utf-8" else f"{encoding}-le"
    return {"line": len(lines), "character": len(line.encode(codec)) // ENCODINGS[encoding]}


def is_sound(text: str) -> bool:
    """Whether Python takes the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class Session:
    """A file that is edited in a server."""

    def __init__(self, path: Path, encoding: str, seed: int) -> None:
        self.where = f"{path.name}, {encoding}, seed {seed}"
        self.typist = Typist(ASTRAL + path.read_text("utf-8"), seed)
        self.encoding, self.uri, self.version = encoding, path.as_uri(), 1
        self.peer, self.fresh = Peer(encoding), Peer(encoding)
        self.told = self.peer.open(self.uri, self.typist.text)
        self.took: list[float] = []

    def edit(self) -> None:
        """Edit, perhaps beside junk and a question."""
        before, rng = self.typist.text, self.typist.rng
        self.typist.edit()
        if rng.random() < 0.2:
            self.peer.send(rng.choice(JUNK))
        if rng.random() < 0.3:
            at = {"line": rng.randrange(400), "character": rng.randrange(80)}
            place = {"position": at, "range": {"start": at, "end": at}, "context": {"diagnostics": []}}
            self.peer.ask(f"textDocument/{rng.choice(QUESTIONS)}", {"textDocument": {"uri": self.uri}, **place})
            if rng.random() < 0.3:
                self.peer.tell("$/cancelRequest", {"id": self.peer.number})
        self.show(before)

    def show(self, before: str) -> None:
        """Send the change, and wait for what the server tells of it."""
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        change = changed(before, self.typist.text, self.encoding)
        began = time.monotonic()
        self.peer.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        self.told = self.peer.published(self.uri, self.version)
        self.took.append(time.monotonic() - began)

    def compare(self) -> None:
        """Take back what is no Python, and compare. Raises AssertionError where a fresh server says otherwise."""
        before = self.typist.text
        while not is_sound(self.typist.text):
            self.typist.texts.pop()
        self.show(before)
        fresh = self.fresh.open(self.uri, self.typist.text, self.version)
        self.fresh.tell("textDocument/didClose", {"textDocument": {"uri": self.uri}})
        assert self.told == fresh, f"{self.where}, version {self.version}: a fresh server says otherwise"

    def run(self, edits: int, every: int) -> list[float]:
        """Edit so many times; the seconds that each answer took. Raises AssertionError where something is wrong."""
        half = 0.0
        for number in range(edits):
            self.edit()
            if number % every == every - 1 or number == edits - 1:
                self.compare()
            if number == edits // 2:
                half = self.peer.memory()
        full = self.peer.memory()
        for one in (self.peer, self.fresh):
            one.end()
        print(
            f"{self.where}: {edits} edits, {self.peer.number} requests; "
            f"median {statistics.median(self.took) * 1000:.0f} ms, 99 % {late(self.took)} ms, "
            f"most {max(self.took) * 1000:.0f} ms; {half:.0f} MiB half-way, {full:.0f} in the end",
            flush=True,
        )
        assert edits < 200 or full < half * 1.1 + 10, f"{self.where}: memory grows"
        return self.took


def attempt(path: Path, encoding: str, seed: int, edits: int) -> list[float] | None:
    """Edit a file so many times; the seconds that each answer took, or None after telling what was wrong."""
    try:
        return Session(path, encoding, seed).run(edits, every=10)
    except AssertionError as error:
        print(f"WRONG: {error}", flush=True)
        return None


def late(took: list[float]) -> int:
    """The milliseconds that 99 of 100 stay within."""
    return round(sorted(took)[int(len(took) * 0.99)] * 1000)


def main(edits: int, seed: int) -> int:
    """All files in all encodings; the exit status."""
    wrong = 0
    took: list[float] = []
    pairs = [(path, encoding) for path in FILES for encoding in ENCODINGS]
    for number, (path, encoding) in enumerate(pairs):
        seen = attempt(path, encoding, seed + number, max(edits // len(pairs), 1))
        wrong += seen is None
        took += seen or []
    if took:
        print(f"{len(took)} edits, seed {seed}: 99 % within {late(took)} ms, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, int(sys.argv[2]) if len(sys.argv) > 2 else 1))
