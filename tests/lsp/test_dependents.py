"""A change in one file is seen in the open documents that depend on it, whoever makes the change."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from gradguard.analyses.program.session import CLOSING, Session
from gradguard.lsp.analysis import ProjectAnalyser
from gradguard.lsp.settings import Settings
from gradguard.workspace.files import Document as File
from lsprotocol import types

if TYPE_CHECKING:
    from pathlib import Path

    from gradguard.analyses.domain.steps import Step

    from .conftest import Editor

MAIN = """\
import torch
from helper import curve
x = torch.ones(3, requires_grad=True)
y = x * 2
z = curve(y)
y += 1
z.sum().backward()
"""
SAVES = "def curve(y):\n    return y.pow(2)\n"
SAVES_NOTHING = "def curve(y):\n    return y * 3\n"


def codes(found: list[types.Diagnostic]) -> list[object]:
    return [diagnostic.code for diagnostic in found]


async def shows(editor: Editor, expected: list[object], name: str = "main.py") -> None:
    """Wait until a document that nobody touches shows these diagnostics."""
    for _ in range(4000):
        if codes(editor.client.diagnostics[editor.uri(name)]) == expected:
            return
        await asyncio.sleep(0.01)
    pytest.fail(f"still {editor.client.diagnostics[editor.uri(name)]}")


def write(editor: Editor, name: str, text: str) -> None:
    (editor.folder / name).parent.mkdir(parents=True, exist_ok=True)
    (editor.folder / name).write_text(text)


def tell(editor: Editor, name: str, change: types.FileChangeType) -> None:
    """Report a change on the disk, as editors do that watch it."""
    event = types.FileEvent(editor.uri(name), change)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


@pytest.mark.parametrize("order", [("main.py", "helper.py"), ("helper.py", "main.py")])
async def test_typing_in_an_open_file(editor: Editor, order: tuple[str, str]) -> None:
    write(editor, "helper.py", SAVES_NOTHING)
    for name in order:
        await editor.open(name, {"main.py": MAIN, "helper.py": SAVES_NOTHING}[name])
    await editor.retype("helper.py", SAVES)
    await shows(editor, ["GG101"])
    await editor.retype("helper.py", SAVES_NOTHING)
    await shows(editor, [])


async def test_typing_in_a_file_behind_others(editor: Editor) -> None:
    files = {
        "helper/__init__.py": "from .parts import *\n",
        "helper/parts/__init__.py": "from .curves import curve\n",
        "helper/parts/curves.py": SAVES,
    }
    for name, text in files.items():
        write(editor, name, text)
    assert codes(await editor.open("main.py", MAIN)) == ["GG101"]
    await editor.open("helper/parts/curves.py", SAVES)
    await editor.retype("helper/parts/curves.py", SAVES_NOTHING)
    await shows(editor, [])


async def test_closing_a_file_without_saving_it(editor: Editor) -> None:
    write(editor, "helper.py", SAVES)
    await editor.open("main.py", MAIN)
    await editor.open("helper.py", SAVES)
    await editor.retype("helper.py", SAVES_NOTHING)
    await shows(editor, [])
    helper = types.TextDocumentIdentifier(editor.uri("helper.py"))
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(helper))
    await shows(editor, ["GG101"])


async def test_a_closed_file_comes_changes_and_goes(editor: Editor) -> None:
    assert codes(await editor.open("main.py", MAIN)) == []
    write(editor, "helper.py", SAVES)
    tell(editor, "helper.py", types.FileChangeType.Created)
    await shows(editor, ["GG101"])
    write(editor, "helper.py", SAVES_NOTHING)
    tell(editor, "helper.py", types.FileChangeType.Changed)
    await shows(editor, [])
    write(editor, "helper.py", SAVES)
    tell(editor, "helper.py", types.FileChangeType.Changed)
    await shows(editor, ["GG101"])
    (editor.folder / "helper.py").unlink()
    tell(editor, "helper.py", types.FileChangeType.Deleted)
    await shows(editor, [])


async def test_a_new_module_counts_before_it_is_saved(editor: Editor) -> None:
    assert codes(await editor.open("main.py", MAIN)) == []
    assert codes(await editor.open("helper.py", SAVES)) == []
    await shows(editor, ["GG101"])
    await editor.retype("helper.py", SAVES_NOTHING)
    await shows(editor, [])
    await editor.retype("helper.py", SAVES)
    await shows(editor, ["GG101"])
    helper = types.TextDocumentIdentifier(editor.uri("helper.py"))
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(helper))
    await shows(editor, [])


async def test_a_package_takes_the_place_of_a_module(editor: Editor) -> None:
    write(editor, "helper.py", SAVES)
    assert codes(await editor.open("main.py", MAIN)) == ["GG101"]
    write(editor, "helper/__init__.py", SAVES_NOTHING)
    tell(editor, "helper/__init__.py", types.FileChangeType.Created)
    await shows(editor, [])


async def test_a_manifest_says_where_the_code_is(editor: Editor) -> None:
    write(editor, "code/helper.py", SAVES)
    assert codes(await editor.open("main.py", MAIN)) == []
    write(editor, "pyproject.toml", "[tool.setuptools.package-dir]\n'' = 'code'\n")
    tell(editor, "pyproject.toml", types.FileChangeType.Created)
    await shows(editor, ["GG101"])


def test_what_does_not_depend_on_a_file_is_not_replayed_when_that_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed: list[str] = []
    step = Session.step

    def noted(session: Session, key: object, what: str, *args: object, **kwargs: object) -> Step:
        replayed.append(what)
        return step(session, key, what, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "step", noted)
    helper, main, other = (tmp_path / name for name in ("helper.py", "main.py", "other.py"))
    helper.write_text(SAVES_NOTHING)
    files = {str(path): File(str(path), text) for path, text in ((main, MAIN), (other, "import torch\n" + SAVES))}
    analyser = ProjectAnalyser()
    analyser.configure(Settings(), [str(tmp_path)], "en")
    for path in files:
        analyser.analyse(path, files)
    replayed.clear()
    helper.write_text(SAVES)
    analyser.files_changed([str(helper)])
    assert analyser.analyse(str(other), files).findings == []
    assert replayed == []
    assert [finding.rule.code for finding in analyser.analyse(str(main), files).findings] == ["GG101"]
    assert set(replayed) == {str(main), CLOSING}
