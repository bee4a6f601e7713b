"""What a client hears when work takes long, or when an edit elsewhere changes what it shows."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from .conftest import RICH
from .test_diagnostics import until

if TYPE_CHECKING:
    from .conftest import Editor, Start

REFRESHED = types.WorkspaceClientCapabilities(
    diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
    inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
    workspace_edit=RICH["workspace"].workspace_edit,
)


def asked_for(asked: list[str], method: str, params: None) -> None:
    asked.append(method)


async def test_long_work_is_shown(start: Start) -> None:
    editor = await start(window=types.WindowClientCapabilities(work_done_progress=True))
    await editor.open("a.py", "x = 1\n")
    assert editor.client.progress_reports == {}, "what is done at once is not"
    await editor.open("b.py", "import torch\n" + "x = torch.ones(3)\n" * 20_000)
    await until(lambda: any(len(reports) == 2 for reports in editor.client.progress_reports.values()))
    (reports,) = editor.client.progress_reports.values()
    assert reports[0].title == "GradGuard: analysing b.py"
    assert isinstance(reports[1], types.WorkDoneProgressEnd)


async def test_what_an_edit_elsewhere_changes_is_asked_for_again(start: Start) -> None:
    editor = await start(workspace=REFRESHED)
    asked: list[str] = []
    for method in (types.WORKSPACE_DIAGNOSTIC_REFRESH, types.WORKSPACE_INLAY_HINT_REFRESH):
        editor.client.protocol.fm.features[method] = partial(asked_for, asked, method)
    (editor.folder / "helper.py").write_text("")
    await editor.open("helper.py", "def keep(t):\n    return t.clone()\n")
    program = "import torch\nimport helper\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\nz = helper.keep(y)\n"
    assert await editor.open("main.py", program + "z += 1\ny.sum().backward()\n") == []
    asked.clear()
    await editor.retype("helper.py", "def keep(t):\n    return t\n")
    await until(lambda: len(editor.client.diagnostics[editor.uri("main.py")]) == 1)
    await until(lambda: {*asked} == {types.WORKSPACE_DIAGNOSTIC_REFRESH, types.WORKSPACE_INLAY_HINT_REFRESH})


async def test_what_was_edited_last_is_answered_first(editor: Editor, stale: str) -> None:
    await editor.open("small.py", stale)
    calls = "".join(f"def f{n}(x):\n" + "    y = torch.exp(x)\n" * 40 + "    return y\n" for n in range(400))
    long = types.TextDocumentItem(editor.uri("long.py"), "python", 1, "import torch\n" + calls)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(long))
    await asyncio.sleep(0.3)
    assert await editor.retype("small.py", "\n" + stale)
    assert editor.uri("long.py") not in editor.client.diagnostics, "the long one has not been waited for"
    assert await editor.published(editor.uri("long.py"), 1) == [], "it goes on afterwards"


def errors(editor: Editor) -> list[str]:
    return [one.message for one in editor.client.log_messages if one.type == types.MessageType.Error]


async def test_an_analysis_that_does_not_end_costs_one_document(start: Start, stale: str) -> None:
    editor = await start(command=[sys.executable, str(Path(__file__).with_name("crashing.py"))])
    await editor.open("good.py", stale)
    endless = types.TextDocumentItem(editor.uri("bad.py"), "python", 1, "import torch  # never end\n")
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(endless))
    for _ in range(3):
        assert await editor.hover("good.py", 3, 0)
        assert await editor.actions("good.py", 3)
    assert not errors(editor), "these have not waited until it was given up"
    assert await asyncio.wait_for(editor.hover("bad.py", 0, 0), 60) is None
    assert errors(editor) == [f"The analysis of {editor.folder / 'bad.py'} was given up after 6 seconds."]
    editor.versions[editor.uri("bad.py")] = 1
    assert await editor.retype("bad.py", stale)
