"""What a recorded run saw, as the editor shows it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from gradguard.workspace.record import PLACE
from lsprotocol import types

if TYPE_CHECKING:
    from .conftest import Editor

HIDDEN = """\
import os, torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
getattr(y, os.environ.get("STEP", "add_"))(1)
y.sum().backward()
"""


def run(editor: Editor, name: str, text: str) -> None:
    (editor.folder / name).write_text(text)
    command = os.path.join(os.path.dirname(sys.executable), "gradguard")
    subprocess.run([command, "run", "--record", PLACE, name], cwd=editor.folder, capture_output=True)


async def test_what_a_run_saw_is_told_until_its_lines_change(editor: Editor) -> None:
    assert not await editor.open("a.py", HIDDEN)
    run(editor, "a.py", HIDDEN)
    (found,) = await editor.retype("a.py", HIDDEN + "# more\n")
    assert found.code == "GG101"
    assert "(Seen when it ran, 2" in found.message
    assert found.range.start.line == 3
    edit = types.TextDocumentContentChangePartial(types.Range(types.Position(3, 0), types.Position(3, 0)), "y = ")
    assert not await editor.change("a.py", edit)


async def test_a_finding_that_a_run_saw_is_confirmed(editor: Editor, stale: str) -> None:
    run(editor, "a.py", stale)
    (found,) = await editor.open("a.py", stale)
    assert "(Confirmed: seen when it ran, 2" in found.message
