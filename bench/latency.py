"""How long a keystroke takes: from didChange to the diagnostics, beside other servers, on the same machine.

    python bench/latency.py [--write docs/latency.md] [--keystrokes N] [FILE…]

Opens each file (PyTorch's `nn/modules/conv.py` and `nn/functional.py` if none is named) in each server over
standard input and output, goes to the middle of its longest function around the middle line, and types
statements there, letter by letter, as an editor sends them: a new line comes with its indentation. After each
letter it waits for the diagnostics of that version of the text.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import os
import platform
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FILES = ("nn/modules/conv.py", "nn/functional.py")
FOLDERS = ("nn", "nn/modules", "nn/utils", "optim", "distributions")
MANY = 50
TYPED = ("scale = torch.exp(input)", "scale += 1", "if scale is None:", "    return input * 2", "total = scale.sum()")
BIN = Path(sys.executable).parent
SERVERS = {
    "gradguard": [str(BIN / "gradguard"), "server"],
    "ruff": [str(BIN / "ruff"), "server"],
    "basedpyright": [str(BIN / "basedpyright-langserver"), "--stdio"],
}
PATIENCE = 30.0
"""seconds to wait for diagnostics"""


class Client:
    """A language server at the other end of two pipes; no more of the protocol than is needed to type."""

    def __init__(self, command: list[str], root: Path, cache: Path | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
            env={**os.environ, "GRADGUARD_CACHE_DIR": str(cache or "")},
        )
        self.arrived: queue.SimpleQueue[tuple[float, dict[str, Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.numbers = itertools.count(1)
        self.root = root

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                header = stream.readline()
            body = stream.read(length)
            self.arrived.put((time.perf_counter(), json.loads(body)))

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def request(self, method: str, **params: Any) -> Any:
        """Send a request and wait for its answer."""
        number = next(self.numbers)
        self.send({"id": number, "method": method, "params": params})
        return self._wait(lambda message: message.get("id") == number and "method" not in message)[1].get("result")

    def open(self, path: Path, text: str) -> float:
        """Open a document and wait for its diagnostics; how many milliseconds that took."""
        item = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        began = time.perf_counter()
        self.notify("textDocument/didOpen", textDocument=item)
        return (self.diagnostics(path.as_uri(), 1) - began) * 1000

    def diagnostics(self, uri: str, version: int) -> float:
        """Wait for the diagnostics of a version of a document; when they came."""

        def is_answer(message: dict[str, Any]) -> bool:
            params = message.get("params", {})
            return (
                message.get("method") == "textDocument/publishDiagnostics"
                and params["uri"] == uri
                and (params.get("version") or version) >= version
            )

        return self._wait(is_answer)[0]

    def published(self) -> dict[str, Any]:
        """Wait for diagnostics, of whatever document."""
        params: dict[str, Any] = self._wait(lambda message: message.get("method") == "textDocument/publishDiagnostics")[
            1
        ]["params"]
        return params

    def _wait(self, wanted: Any) -> tuple[float, dict[str, Any]]:
        end = time.perf_counter() + PATIENCE
        while True:
            came, message = self.arrived.get(timeout=max(end - time.perf_counter(), 0.001))
            if wanted(message):
                return came, message
            if "id" in message and "method" in message:  # the server asks: nothing is known here
                items = message["params"].get("items", []) if message["method"] == "workspace/configuration" else None
                self.send({"id": message["id"], "result": None if items is None else [None] * len(items)})

    def initialize(self) -> None:
        """Say hello, as a client that has diagnostics pushed."""
        capabilities = {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {"publishDiagnostics": {"versionSupport": True}},
            "workspace": {"configuration": True},
        }
        uri = self.root.as_uri()
        folders = [{"uri": uri, "name": self.root.name}]
        self.request("initialize", processId=None, rootUri=uri, workspaceFolders=folders, capabilities=capabilities)
        self.notify("initialized")

    def stop(self) -> None:
        """Say goodbye."""
        self.request("shutdown")
        self.notify("exit")
        self.process.wait(PATIENCE)

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


@dataclass
class Result:
    """What one server took for one file, in milliseconds."""

    opened: float = 0.0
    again: float | None = None
    """opened by a server that finds what an earlier one has kept; None for those that keep nothing"""
    keys: list[float] = field(default_factory=list)
    unanswered: int = 0
    memory: float = 0.0

    @property
    def median(self) -> float:
        """The median over all keystrokes."""
        return statistics.median(self.keys) if self.keys else float("nan")

    @property
    def p95(self) -> float:
        """Of twenty keystrokes, nineteen are answered faster."""
        return statistics.quantiles(self.keys, n=20)[-1] if len(self.keys) > 1 else float("nan")


def place(text: str) -> tuple[int, str]:
    """The line at the middle of the file where a statement of a function begins, and its indentation."""
    middle = text.count("\n") // 2
    inner = [
        statement
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef)
        for statement in function.body[1:]
    ]
    nearest = min(inner, key=lambda statement: abs(statement.lineno - 1 - middle))
    return nearest.lineno - 1, " " * nearest.col_offset


def keystrokes(indent: str, most: int) -> list[str]:
    """What is typed, one change each."""
    keys: list[str] = []
    for number in itertools.count():
        line = TYPED[number % len(TYPED)]
        keys += [*line.lstrip(), "\n" + indent + ("    " if line.endswith(":") else "")]
        if len(keys) >= most:
            return keys[:most]
    return keys


def measure(command: list[str], path: Path, most: int) -> Result:
    """Open a file and type into it."""
    text = path.read_text("utf-8")
    line, indent = place(text)
    result = Result()
    client = Client(command, path.parent)
    client.initialize()
    uri = path.as_uri()
    result.opened = client.open(path, text)
    column = 0
    for version, key in enumerate(["\n", indent, *keystrokes(indent, most)], 2):
        at = {"line": line, "character": column}
        if version == 2:
            column = 0
        elif "\n" in key:
            line, column = line + 1, len(key) - 1
        else:
            column += len(key)
        time.sleep(0.02)
        began = time.perf_counter()
        client.notify(
            "textDocument/didChange",
            textDocument={"uri": uri, "version": version},
            contentChanges=[{"range": {"start": at, "end": at}, "text": key}],
        )
        try:
            took = (client.diagnostics(uri, version) - began) * 1000
        except queue.Empty:
            result.unanswered += 1
            continue
        if version > 3:
            result.keys.append(took)
    result.memory = client.memory()
    client.stop()
    return result


def reopen(command: list[str], path: Path) -> float:
    """Open a file in our server, and then in another one that finds what the first has kept of it.

    How many milliseconds it took the second; raises TimeoutError where nothing is kept.
    """
    with tempfile.TemporaryDirectory() as folder:
        for known in False, True:
            client = Client(command, path.parent, Path(folder))
            client.initialize()
            took = client.open(path, path.read_text("utf-8"))
            end = time.perf_counter() + PATIENCE
            while not (known or list(Path(folder).glob("*.json"))):
                if time.perf_counter() > end:
                    raise TimeoutError("nothing was kept")
                time.sleep(0.1)
            client.stop()
    return took


def crowd(command: list[str], root: Path) -> tuple[float, float]:
    """Open many files, the longest of some folders; the seconds until all have diagnostics, and the memory in MiB."""
    found = sorted(
        (path for folder in FOLDERS for path in (root / folder).glob("*.py")), key=lambda p: p.stat().st_size
    )
    waiting = {path.as_uri(): path for path in found[-MANY:]}
    client = Client(command, root)
    client.initialize()
    began = time.perf_counter()
    for uri, path in waiting.items():
        text = path.read_text("utf-8")
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        client.notify("textDocument/didOpen", textDocument=item)
    while waiting:
        waiting.pop(client.published()["uri"], None)
    took, memory = time.perf_counter() - began, client.memory()
    client.stop()
    return took, memory


def table(results: dict[tuple[str, str], Result]) -> str:
    """The results as a table in Markdown."""
    lines = [
        "| file | server | opened | opened again | median | p95 | slowest | memory |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for (file, server), r in results.items():
        slowest = max(r.keys, default=float("nan"))
        again = "" if r.again is None else f"{r.again:.0f} ms"
        lines.append(
            f"| {file} | {server} | {r.opened:.0f} ms | {again} "
            f"| {r.median:.1f} ms | {r.p95:.1f} ms | {slowest:.0f} ms | {r.memory:.0f} MiB |"
        )
    return "\n".join(lines)


def plot(results: dict[tuple[str, str], Result]) -> str:
    """Each keystroke as a point on a logarithmic axis, one row a server and file, as SVG."""
    from math import log10

    width, row, left = 760, 34, 240
    height = row * len(results) + 50

    def x(ms: float) -> float:
        return left + (log10(min(max(ms, 1), 10_000))) / 4 * (width - left - 20)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="12"><rect width="100%" height="100%" fill="white"/>'
    ]
    parts += [
        f'<line x1="{x(ms):.0f}" x2="{x(ms):.0f}" y1="10" y2="{height - 35}" stroke="#ddd"/>'
        f'<text x="{x(ms):.0f}" y="{height - 18}" text-anchor="middle">{ms} ms</text>'
        for ms in (1, 10, 100, 1000, 10_000)
    ]
    for number, ((file, server), r) in enumerate(results.items()):
        y = 10 + row * number + row / 2
        parts.append(f'<text x="{left - 12}" y="{y + 4:.0f}" text-anchor="end">{server}, {Path(file).name}</text>')
        parts += [f'<circle cx="{x(ms):.1f}" cy="{y:.0f}" r="3" fill="#3367d6" fill-opacity="0.25"/>' for ms in r.keys]
        parts.append(f'<path d="M{x(r.median):.1f},{y - 10:.0f} v20" stroke="#c00" stroke-width="2"/>')
    return "\n".join([*parts, "</svg>\n"])


def machine() -> str:
    """What kind of machine this is, in general words."""
    return f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


PAGE = """# From a key to its diagnostics

Milliseconds from `textDocument/didChange` to `textDocument/publishDiagnostics` of that version, over standard input and
output, while statements are typed letter by letter into the middle of PyTorch's own sources. All servers ran on
the same machine, one after the other: {machine}. `make bench` measures again.

“Opened” is from `textDocument/didOpen` to the diagnostics, “opened again” the same in a session that finds what an
earlier one has kept on the disk.

{table}

With {many} files of PyTorch open at once, the longest of {folders}:

{crowds}

![each keystroke as a point, the median as a line](latency.svg)

The servers do different things with a text: this compares what a user waits for, not how much is computed meanwhile.
"""


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--write", type=Path, help="the page to write, with a plot beside it")
    parser.add_argument("--keystrokes", type=int, default=150)
    parser.add_argument("--server", action="append", choices=SERVERS)
    options = parser.parse_args()
    spec = find_spec("torch")
    torch = Path(spec.origin).parent if spec and spec.origin else Path()
    files = {str(file): file.resolve() for file in options.files} or {f"torch/{name}": torch / name for name in FILES}
    results = {}
    for name, file in files.items():
        for server in options.server or SERVERS:
            results[name, server] = measure(SERVERS[server], file, options.keystrokes)
            if server == "gradguard":
                results[name, server].again = reopen(SERVERS[server], file)
            print(name, server, f"median {results[name, server].median:.1f} ms", flush=True, file=sys.stderr)
    crowds = {server: crowd(SERVERS[server], torch) for server in options.server or SERVERS}
    rows = [f"| {server} | {took:.1f} s | {memory:.0f} MiB |" for server, (took, memory) in crowds.items()]
    many = "\n".join(["| server | all opened | memory |", "|---|--:|--:|", *rows])
    print(table(results), many, sep="\n\n")
    if options.write:
        folders = ", ".join(f"`torch/{folder}`" for folder in FOLDERS)
        page = PAGE.format(machine=machine(), table=table(results), many=MANY, folders=folders, crowds=many)
        options.write.write_text(page, "utf-8")
        options.write.with_suffix(".svg").write_text(plot(results), "utf-8")


if __name__ == "__main__":
    main()
