"""notebookDocument/*: the cells of an open notebook, in their order, as one program.

The analysis knows only the program, as one document with the notebook's path. What it says of a line is reported in
the cell that has the line; the columns are the same in both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from ..workspace.notebook import notebook_of
from .convert import Text
from .documents import path_of
from .layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..syntax.positions import Encoding
    from .documents import Documents

SYNC = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithNotebook("*", [types.NotebookCellLanguage("python")])]
)


@dataclass(slots=True)
class Cell:
    """The text of a cell as the editor has it."""

    language: str
    version: int
    text: Text


@dataclass(slots=True)
class _Open:
    """A notebook that is open: its cells, in order, and the texts that the editor has opened for them."""

    order: list[types.NotebookCell] = field(default_factory=list)
    cells: dict[str, Cell] = field(default_factory=dict)

    def structure(self, array: types.NotebookCellArrayChange) -> None:
        """Take cells out, and put others in their place."""
        self.order[array.start : array.start + array.delete_count] = array.cells or ()

    def data(self, cells: Iterable[types.NotebookCell]) -> None:
        """Update the kinds of cells: code can become prose."""
        changed = {cell.document: cell for cell in cells}
        self.order = [changed.get(cell.document, cell) for cell in self.order]

    def open(self, items: Iterable[types.TextDocumentItem], encoding: Encoding) -> None:
        """Update the texts of cells."""
        for item in items:
            self.cells[item.uri] = Cell(item.language_id, item.version, Text(item.text, encoding))

    def layout(self) -> Layout:
        """Return the program as it is now: the cells of Python code."""
        uris = [one.document for one in self.order if one.kind == types.NotebookCellKind.Code]
        cells = {uri: self.cells[uri] for uri in uris if uri in self.cells and self.cells[uri].language == "python"}
        return Layout(
            notebook_of([cell.text.text for cell in cells.values()]),
            tuple(cells),
            {uri: cell.version for uri, cell in cells.items()},
        )


class Notebooks:
    """The notebooks that are open."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._open: dict[str, _Open] = {}

    def open(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """Add a notebook that the editor has opened."""
        notebook = params.notebook_document
        opened = self._open[notebook.uri] = _Open(list(notebook.cells))
        opened.open(params.cell_text_documents, self._documents.encoding)
        self._own(notebook.uri, opened.cells)
        self._documents.open_notebook(notebook.uri, notebook.version, opened.layout())

    def change(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Follow the user's edits; raises JsonRpcInvalidParams for a notebook or a cell that isn't open."""
        uri = params.notebook_document.uri
        opened = self._open.get(uri)
        if opened is None:
            raise JsonRpcInvalidParams(f"{uri} is not open")
        if params.change.cells is not None:
            self._change_cells(uri, opened, params.change.cells)
        self._documents.change_notebook(uri, params.notebook_document.version, opened.layout())

    def _change_cells(self, uri: str, opened: _Open, changes: types.NotebookDocumentCellChanges) -> None:
        structure = changes.structure
        if structure is not None:
            opened.structure(structure.array)
            opened.open(structure.did_open or (), self._documents.encoding)
            self._own(uri, [item.uri for item in structure.did_open or ()])
            self._disown(opened, [item.uri for item in structure.did_close or ()])
        opened.data(changes.data or ())
        for edit in changes.text_content or ():
            cell = opened.cells.get(edit.document.uri)
            if cell is None:
                raise JsonRpcInvalidParams(f"{edit.document.uri} is not a cell of {uri}")
            cell.text, cell.version = cell.text.edited(edit.changes), edit.document.version

    def close(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """Forget a notebook, open or not."""
        uri = params.notebook_document.uri
        opened = self._open.pop(uri, None)
        if opened is not None:
            self._documents.close(uri)
            self._disown(opened, list(opened.cells))

    def _own(self, uri: str, cells: Iterable[str]) -> None:
        self._documents.notebooks.update(dict.fromkeys(cells, path_of(uri)))

    def _disown(self, opened: _Open, cells: Sequence[str]) -> None:
        for cell in cells:
            opened.cells.pop(cell, None)
            self._documents.notebooks.pop(cell, None)
