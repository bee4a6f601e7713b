"""How messages begin, who is taken for a client, and how a session ends that is busy."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

COMMAND = [sys.executable, "-m", "gradguard", "server"]
PIPE = asyncio.subprocess.PIPE


def message(method: str, number: int | None = None, **params: Any) -> bytes:
    body = {"jsonrpc": "2.0", "method": method, "params": params or None}
    return json.dumps(body if number is None else {**body, "id": number}).encode()


def initialize(**options: Any) -> bytes:
    return message("initialize", 1, processId=None, rootUri=None, capabilities={}, initializationOptions=options)


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


async def answer(reader: asyncio.StreamReader) -> dict[str, Any]:
    """The next response."""
    while True:
        header = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
        length = next(int(line[15:]) for line in header.split(b"\r\n") if line.startswith(b"Content-Length:"))
        body = json.loads(await reader.readexactly(length))
        if "method" not in body:
            return body


@contextlib.asynccontextmanager
async def running(folder: Path, *arguments: str, **variables: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=folder, env={**os.environ, **variables}
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: %d\r\n\r\n",
        b"Content-Length:%d\r\n\r\n",
        b"CONTENT-LENGTH :  %d  \r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
    ],
)
async def test_headers_are_those_of_http(tmp_path: Path, header: bytes) -> None:
    async with running(tmp_path) as server:
        body = initialize()
        server.stdin.write(header % len(body) + body)
        assert "result" in await answer(server.stdout)


@pytest.mark.parametrize("length", [b"1" + b"0" * 18, b"9" * 4000, b"268435457"])
async def test_a_message_without_end_is_refused(tmp_path: Path, length: bytes) -> None:
    async with running(tmp_path) as server:
        server.stdin.write(framed(initialize()) + b"Content-Length: " + length + b"\r\n\r\n{")
        assert "result" in await answer(server.stdout)
        assert "at most 268435456 bytes" in (await answer(server.stdout))["error"]["message"]
        assert await asyncio.wait_for(server.wait(), 10) == 1


@pytest.mark.parametrize("goodbye", [b"", framed(message("shutdown", 2)) + framed(message("exit"))])
async def test_a_busy_server_ends_at_once(tmp_path: Path, goodbye: bytes) -> None:
    for _ in range(3):  # others use this machine
        if await seconds_to_end(tmp_path, goodbye) < 2:
            return
    pytest.fail("it went on with what nobody waits for")


async def seconds_to_end(tmp_path: Path, goodbye: bytes) -> float:
    text = "import torch\nx = torch.rand(3, requires_grad=True)\n" + "y = torch.exp(x)\ny += 1\n" * 10_000
    item = {"uri": (tmp_path / "a.py").as_uri(), "languageId": "python", "version": 1, "text": text}
    async with running(tmp_path) as server:
        server.stdin.write(framed(initialize()) + framed(message("initialized")))
        await answer(server.stdout)
        server.stdin.write(framed(message("textDocument/didOpen", textDocument=item)))
        await server.stdin.drain()
        await asyncio.sleep(1.5)
        began = time.monotonic()
        server.stdin.write(goodbye)
        server.stdin.close()
        assert await asyncio.wait_for(server.wait(), 30) == (0 if goodbye else 1)
        return time.monotonic() - began


async def test_a_request_that_is_cancelled_too_late_is_in_no_log(tmp_path: Path) -> None:
    async with running(tmp_path) as server:
        server.stdin.write(framed(initialize()) + framed(message("initialized")))
        assert "result" in await answer(server.stdout)
        server.stdin.write(framed(message("$/cancelRequest", id=1)) + framed(message("$/cancelRequest", id="none")))
        server.stdin.write(framed(message("shutdown", 2)) + framed(message("exit")))
        _, told = await asyncio.wait_for(server.communicate(), 30)
    assert told == b""


# -- TCP --------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as place:
        return int(place.getsockname()[1])


async def connect(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    for _ in range(200):
        with contextlib.suppress(OSError):
            return await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(0.05)
    raise TimeoutError


async def test_a_web_page_is_no_client_and_there_is_only_one(tmp_path: Path) -> None:
    port = free_port()
    async with running(tmp_path, "--tcp", f"127.0.0.1:{port}") as server:
        body = initialize()
        page, to_page = await connect(port)
        to_page.write(
            b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://example.org\r\nContent-Length: %d\r\n\r\n%s"
            % (len(body), body)
        )
        assert await asyncio.wait_for(page.read(), 10) == b""
        waiting, _ = await connect(port)
        client, to_client = await connect(port)
        to_client.write(framed(body))
        assert "result" in await answer(client)
        with pytest.raises(OSError):
            await asyncio.open_connection("127.0.0.1", port)
        to_client.write(framed(message("shutdown", 2)))
        assert (await answer(client))["id"] == 2
        to_client.write(framed(message("exit")))
        assert await asyncio.wait_for(server.wait(), 10) == 0
        assert await asyncio.wait_for(waiting.read(), 10) == b""


@pytest.mark.parametrize("host", ["0.0.0.0", "example.org", "[::]"])
async def test_who_listens_to_all_needs_a_token(tmp_path: Path, host: str) -> None:
    async with running(tmp_path, "--tcp", f"{host}:{free_port()}") as server:
        _, told = await asyncio.wait_for(server.communicate(), 30)
        assert server.returncode == 2
        assert b"set GRADGUARD_TOKEN" in told


@pytest.mark.parametrize("options", [{}, {"token": "guess"}, {"token": 1}])
async def test_a_client_without_the_token_is_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    port = free_port()
    async with running(tmp_path, "--tcp", f"0.0.0.0:{port}", GRADGUARD_TOKEN="secret") as server:
        client, to_client = await connect(port)
        to_client.write(framed(initialize(**options)))
        assert "token" in (await answer(client))["error"]["message"]
        assert await asyncio.wait_for(server.wait(), 10) == 1


async def test_a_client_with_the_token_is_served(tmp_path: Path) -> None:
    port = free_port()
    async with running(tmp_path, "--tcp", f"0.0.0.0:{port}", GRADGUARD_TOKEN="secret"):
        client, to_client = await connect(port)
        to_client.write(framed(initialize(token="secret")))
        assert "result" in await answer(client)


async def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as place:
        async with running(tmp_path, "--tcp", f"127.0.0.1:{place.getsockname()[1]}") as server:
            _, told = await asyncio.wait_for(server.communicate(), 30)
    assert server.returncode == 2
    assert told.startswith(b"gradguard: cannot listen there: ")
