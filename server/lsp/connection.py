"""The connection to the client: who may connect, and how the headers of messages are read.

pygls reads messages, but knows only one spelling of `Content-Length`, waits for a message of any size, and over TCP
accepts any number of clients and whatever a web page sends to a port of this machine.
"""

from __future__ import annotations

import asyncio
import re
from threading import Event
from typing import TYPE_CHECKING, BinaryIO

from pygls.exceptions import JsonRpcInvalidRequest
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async

if TYPE_CHECKING:
    from pygls.io_ import AsyncReader, Writer

    from .host import Server

LARGEST = 256 * 1024 * 1024
"""the most bytes that a message may have"""

_FIELD = re.compile(rb"[\w-]+[ \t]*:.*\r?\n", re.DOTALL)
"""A field of a header; an HTTP request begins with something else."""

_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?\n", re.IGNORECASE)


class Incoming:
    """The client's messages, with headers that pygls can read; `first` is the line that was already read."""

    def __init__(self, server: Server, reader: AsyncReader, first: bytes = b"") -> None:
        self._server = server
        self._reader = reader
        self._first = first

    async def readline(self) -> bytes:
        """The next line of a header; empty at the end of the stream, or if the rest cannot be understood."""
        line, self._first = self._first, b""
        try:
            line = line or await self._reader.readline()
        except (OSError, ValueError):  # the connection was reset; a line without an end
            return b""
        length = _LENGTH.fullmatch(line)
        if length is None:
            return line
        if len(length[1]) > len(str(LARGEST)) or int(length[1]) > LARGEST:
            self._server.refuse(JsonRpcInvalidRequest(f"a message has at most {LARGEST} bytes"))
            return b""
        return b"Content-Length: %d\r\n" % int(length[1])

    async def readexactly(self, n: int) -> bytes:
        """The body of a message; empty if it is incomplete."""
        try:
            body = await self._reader.readexactly(n)
        except (OSError, asyncio.IncompleteReadError):
            return b""
        return body if len(body) == n else b""


def serve_streams(server: Server, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve the client at the other end of two pipes until it is done."""
    asyncio.run(_serve(server, Incoming(server, StdinAsyncReader(stdin, server.thread_pool)), StdoutWriter(stdout)))


def serve_tcp(server: Server, host: str, port: int) -> None:
    """Serve the first client that connects to an address until it is done, and no other.

    Raises OSError if the server cannot listen at the address.
    """
    asyncio.run(_serve_tcp(server, host, port))


async def _serve_tcp(server: Server, host: str, port: int) -> None:
    first: asyncio.Future[tuple[bytes, asyncio.StreamReader, asyncio.StreamWriter]]
    first = asyncio.get_running_loop().create_future()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await reader.readline()
        except (OSError, ValueError):
            line = b""
        if first.done() or not _FIELD.fullmatch(line):
            writer.close()
        else:
            first.set_result((line, reader, writer))

    listening = await asyncio.start_server(meet, host, port)
    line, reader, writer = await first
    listening.close()
    await _serve(server, Incoming(server, reader, line), writer)


async def _serve(server: Server, incoming: Incoming, writer: Writer) -> None:
    server.protocol.set_writer(writer)
    await run_async(Event(), incoming, server.protocol, error_handler=server.report_server_error)
