"""gradguard/release: by which release of PyTorch a document is judged, for a status bar.

A request of our own, beside LSP. Params are `{textDocument: {uri}}`; the answer is

    {number: string, why: string, judgedBy: string, text: string}

`number` is the release that the project runs with, `why` the place that says so, `judgedBy` the measured release whose
facts are used, and `text` all of it in words. It is null where the document isn't analysed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .analysis import Analysis
    from .documents import Document
    from .host import Server

METHOD = "gradguard/release"


def register(server: Server) -> None:
    """Serve the release."""
    server.feature(METHOD)(release)


async def release(ls: Server, params: Any) -> dict[str, str] | None:
    """Answer with the release of a document."""
    return await ls.documents.ask(params.textDocument.uri, _answer)


def _answer(_: Document, analysis: Analysis) -> dict[str, str] | None:
    if (found := analysis.release) is None:
        return None
    return {"number": found.number, "why": found.why, "judgedBy": found.judged_by, "text": str(found)}
