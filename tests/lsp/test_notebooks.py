"""Notebooks: their cells are one program, and what is said of it is said in the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from .test_diagnostics import until

if TYPE_CHECKING:
    from .conftest import Editor, Start

IMPORTS = "%matplotlib inline\nimport torch\nx = torch.ones(3, requires_grad=True)"
SAVES = "!pip list\nname = '😀'; y = x.exp()"
CHANGES = "%%time\ny += 1\ny.sum().backward()"


class Book:
    """A notebook in an editor; cells are named by letters."""

    def __init__(self, editor: Editor, **cells: str) -> None:
        self.editor = editor
        self.client = editor.client
        self.uri = editor.uri("book.ipynb")
        self.version = 1
        self.versions = dict.fromkeys(cells, 1)
        document = types.NotebookDocument(self.uri, "jupyter-notebook", 1, [self.cell(name) for name in cells])
        texts = [self.text(name, text) for name, text in cells.items()]
        self.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, texts))

    def at(self, name: str) -> str:
        return f"vscode-notebook-cell:{self.uri.removeprefix('file://')}#{name}"

    def cell(self, name: str, kind: types.NotebookCellKind = types.NotebookCellKind.Code) -> types.NotebookCell:
        return types.NotebookCell(kind, self.at(name))

    def text(self, name: str, text: str) -> types.TextDocumentItem:
        return types.TextDocumentItem(self.at(name), "python", 1, text)

    def change(self, **changes: object) -> None:
        self.version += 1
        document = types.VersionedNotebookDocumentIdentifier(self.version, self.uri)
        cells = types.NotebookDocumentCellChanges(**changes)
        params = types.DidChangeNotebookDocumentParams(document, types.NotebookDocumentChangeEvent(cells=cells))
        self.client.notebook_document_did_change(params)

    def type(self, name: str, *edits: types.TextDocumentContentChangeEvent) -> None:
        self.versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[name], self.at(name))
        self.change(text_content=[types.NotebookDocumentCellContentChanges(document, list(edits))])

    def structure(self, start: int, deleted: int, *, opened: dict[str, str] | None = None, closed: str = "") -> None:
        opened = opened or {}
        self.versions |= dict.fromkeys(opened, 1)
        array = types.NotebookCellArrayChange(start, deleted, [self.cell(name) for name in opened])
        texts = [self.text(name, text) for name, text in opened.items()]
        ended = [types.TextDocumentIdentifier(self.at(name)) for name in closed]
        self.change(structure=types.NotebookDocumentCellChangeStructure(array, texts, ended))

    def found(self, name: str) -> list[tuple[str, int, int]]:
        items = self.client.diagnostics.get(self.at(name), [])
        return [(one.code, one.range.start.line, one.range.start.character) for one in items]

    async def shows(self, **cells: list[tuple[str, int, int]]) -> None:
        """Wait until the cells have these diagnostics."""
        await until(lambda: all(self.found(name) == wanted for name, wanted in cells.items()))


STALE = [("GG101", 1, 0)]


@pytest.fixture
async def editor(start: Start) -> Editor:
    sync = types.NotebookDocumentSyncClientCapabilities()
    return await start(notebook_document=types.NotebookDocumentClientCapabilities(sync))


@pytest.fixture
async def book(editor: Editor) -> Book:
    opened = Book(editor, a=IMPORTS, b=SAVES, c=CHANGES)
    await opened.shows(c=STALE)
    return opened


def place(line: int, character: int) -> types.Position:
    return types.Position(line, character)


async def test_what_fails_is_told_in_its_cell(book: Book) -> None:
    (found,) = book.client.diagnostics[book.at("c")]
    told = (
        "`exp` (cell 2, line 2) has saved it at version 0, this makes it version 1, and the backward in line 3 reads it"
    )
    assert told in found.message
    assert [(one.location.uri, one.location.range.start) for one in found.related_information] == [
        (book.at("b"), place(1, 17)),
        (book.at("c"), place(2, 0)),
    ]
    assert (book.found("a"), book.found("b")) == ([], [])


async def test_typing_in_a_cell_moves_what_is_told_of_another(book: Book) -> None:
    end = types.Range(place(1, 24), place(1, 99))
    book.type("b", types.TextDocumentContentChangePartial(end, " + 1"))
    await book.shows(c=[])
    book.type("b", types.TextDocumentContentChangeWholeDocument(SAVES + "\n\n"))
    await book.shows(c=STALE)


async def test_cells_come_go_and_change_places(book: Book) -> None:
    book.structure(2, 0, opened={"new": "y = y.clone()"})
    await book.shows(c=[])
    book.structure(2, 1, closed=["new"])
    await book.shows(c=STALE)
    book.structure(0, 0, opened={"top": "import math\nprint(math.pi)"})
    book.type("c", types.TextDocumentContentChangeWholeDocument("\n" + CHANGES.removeprefix("%%time\n")))
    await book.shows(c=STALE)
    book.change(data=[book.cell("b", types.NotebookCellKind.Markup)])
    await book.shows(c=[])


async def test_questions_are_answered_in_cells(book: Book) -> None:
    cell = types.TextDocumentIdentifier(book.at("c"))
    client = book.client
    hover = await client.text_document_hover_async(types.HoverParams(cell, place(1, 0)))
    assert f"[cell 2, line 2]({book.at('b')})" in hover.contents.value
    assert hover.range == types.Range(place(1, 0), place(1, 1))
    marks = await client.text_document_document_highlight_async(types.DocumentHighlightParams(cell, place(1, 3)))
    assert [mark.range.start for mark in marks] == [place(1, 0), place(2, 0)]
    everything = types.Range(place(0, 0), place(99, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(cell, everything))
    assert [(hint.position, hint.label) for hint in hints] == [(place(1, 6), "y: v0 → v1")]


@pytest.mark.parametrize("only", ["quickfix", "source.fixAll.gradguard"])
async def test_fixes_are_edits_of_cells(book: Book, only: str) -> None:
    cell = types.TextDocumentIdentifier(book.at("c"))
    here, context = types.Range(place(1, 0), place(1, 0)), types.CodeActionContext([], [only])
    first, *_ = await book.client.text_document_code_action_async(types.CodeActionParams(cell, here, context))
    resolved = await book.client.code_action_resolve_async(first)
    (change,) = resolved.edit.document_changes
    assert change.text_document == types.OptionalVersionedTextDocumentIdentifier(change.text_document.uri, 1)
    name = change.text_document.uri.rpartition("#")[2]
    edits = [types.TextDocumentContentChangePartial(edit.range, edit.new_text) for edit in change.edits]
    book.type(name, *edits[::-1])
    await book.shows(c=[])


@pytest.mark.parametrize("title", ["GradGuard: Ignore GG101 here", "GradGuard: Ignore this file"])
async def test_comments_silence_in_cells(book: Book, title: str) -> None:
    cell = types.TextDocumentIdentifier(book.at("c"))
    params = types.CodeActionParams(cell, types.Range(place(1, 0), place(1, 0)), types.CodeActionContext([]))
    actions = {action.title: action for action in await book.client.text_document_code_action_async(params)}
    resolved = await book.client.code_action_resolve_async(actions[title])
    (change,) = resolved.edit.document_changes
    (edit,) = change.edits
    name = change.text_document.uri.rpartition("#")[2]
    assert name == ("c" if "here" in title else "a")
    book.type(name, types.TextDocumentContentChangePartial(edit.range, edit.new_text))
    await book.shows(c=[])


async def test_closing_takes_the_diagnostics_away(book: Book) -> None:
    cells = [types.TextDocumentIdentifier(book.at(name)) for name in "abc"]
    notebook = types.NotebookDocumentIdentifier(book.uri)
    book.client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(notebook, cells))
    await book.shows(c=[])
    params = types.HoverParams(types.TextDocumentIdentifier(book.at("c")), place(1, 0))
    assert await book.client.text_document_hover_async(params) is None


async def test_cells_can_be_pulled(start: Start) -> None:
    capabilities = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
    sync = types.NotebookDocumentSyncClientCapabilities()
    editor = await start(text_document=capabilities, notebook_document=types.NotebookDocumentClientCapabilities(sync))
    book = Book(editor, a=IMPORTS, b=SAVES, c=CHANGES)
    reports = [
        await editor.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(book.at(name)))
        )
        for name in "abc"
    ]
    assert [[one.range.start for one in report.items] for report in reports] == [[], [], [place(1, 0)]]


async def test_a_notebook_without_code_is_no_trouble(editor: Editor) -> None:
    book = Book(editor)
    book.structure(0, 0, opened={"a": IMPORTS + "\n" + SAVES.split("\n")[1] + "\ny += 1\ny.sum().backward()"})
    await book.shows(a=[("GG101", 4, 0)])
    book.structure(0, 9, closed=["a"])
    await book.shows(a=[])
