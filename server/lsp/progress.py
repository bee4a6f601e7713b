"""window/workDoneProgress: what the user sees of work that takes a while."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from .host import Server

MOMENT = 1.0
"""seconds that work may take before its progress is shown"""


@asynccontextmanager
async def asked_for(
    ls: Server, token: types.ProgressToken | None, title: str
) -> AsyncIterator[Callable[[int, int], None]]:
    """Show progress during the block, under the token in the client's request, if it sent one.

    Yields a function to call with how much is done, and how much there is; any thread may call it.
    """
    if token is None:
        yield lambda done, of: None
        return
    loop = asyncio.get_running_loop()

    def tell(done: int, of: int) -> None:
        report = types.WorkDoneProgressReport(message=f"{done}/{of}", percentage=100 * done // max(of, 1))
        loop.call_soon_threadsafe(ls.work_done_progress.report, token, report)

    ls.work_done_progress.begin(token, types.WorkDoneProgressBegin(title, percentage=0))
    try:
        yield tell
    finally:
        ls.work_done_progress.end(token, types.WorkDoneProgressEnd())
        ls.work_done_progress.tokens.pop(token, None)


@asynccontextmanager
async def after_a_moment(ls: Server, title: str) -> AsyncIterator[None]:
    """Show progress of the server's own work in the block, once it has taken a moment, if the client can show it."""
    if not get_capability(ls.client_capabilities, "window.work_done_progress", False):
        yield
        return
    shown = asyncio.ensure_future(_shown(ls, title))
    try:
        yield
    finally:
        shown.cancel()


async def _shown(ls: Server, title: str) -> None:
    """Wait a moment, then show progress until cancelled."""
    await asyncio.sleep(MOMENT)
    token = str(uuid.uuid4())
    try:
        await ls.work_done_progress.create_async(token)
    except JsonRpcException:
        return  # the client refused the token
    async with asked_for(ls, token, title):
        await asyncio.Event().wait()
