"""The request `gradguard/release`, by which an editor shows the release of PyTorch that a document is judged by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradguard.facts import releases
from gradguard.lsp.release import METHOD

if TYPE_CHECKING:
    from .conftest import Editor


async def asked(editor: Editor, uri: str) -> Any:
    return await editor.client.protocol.send_request_async(METHOD, {"textDocument": {"uri": uri}})


async def test_the_release_of_the_settings(editor: Editor, stale: str) -> None:
    (editor.folder / "gradguard.toml").write_text('torch = "2.13.1"\n')
    await editor.open("a.py", stale)
    told = await asked(editor, editor.uri("a.py"))
    assert (told.number, told.judgedBy) == ("2.13.1", "2.13")
    assert told.text == "PyTorch 2.13.1 (`torch` in the settings)"


async def test_one_that_was_not_measured_is_judged_by_another(editor: Editor, stale: str) -> None:
    newest = releases.names()[-1]
    (editor.folder / "gradguard.toml").write_text('torch = "9.9"\n')
    await editor.open("a.py", stale)
    told = await asked(editor, editor.uri("a.py"))
    assert told.judgedBy == newest
    assert told.text == f"PyTorch 9.9 (`torch` in the settings, judged by the facts of {newest})"


async def test_a_document_that_is_not_open_has_none(editor: Editor) -> None:
    assert await asked(editor, editor.uri("b.py")) is None
