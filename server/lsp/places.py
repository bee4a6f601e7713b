"""Places of an analysis as the client knows them: a URI and a range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from .convert import Text
from .documents import uri_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..fixes.edit import Edit
    from ..syntax.chunks import Span
    from .documents import Documents


class Places:
    """Finds the client's places in the files of an analysis, `texts` by path.

    An open document has the URI that the editor gave it; in a notebook, each cell has its own.
    """

    def __init__(self, texts: Mapping[str, str], documents: Documents) -> None:
        self._texts = texts
        self._documents = documents
        self._known: dict[str, Text] = {}

    def location(self, path: str, span: Span) -> types.Location:
        """Return the client's place of a span; for a closed notebook, whose cells have no URI, its beginning."""
        if path.endswith(".ipynb") and self._documents.at(path) is None:
            start = types.Position(0, 0)
            return types.Location(uri_of(path), types.Range(start, start))
        uri, text = self._at(path, span.start_line)
        return types.Location(uri, text.range(span))

    def edit(self, edit: Edit) -> tuple[str, types.TextEdit]:
        """Return an edit for the client, and the URI of the text that it is for."""
        whole = self._text(edit.path)
        uri, text = self._at(edit.path, whole.line_at(edit.start))
        new = edit.text
        if not text.holds(edit.start, edit.end):  # the edit includes the line end that only joins this cell to the next
            new = new.removesuffix("\n").removesuffix("\r")
        return uri, types.TextEdit(text.between(edit.start, edit.end), new)

    def line(self, path: str, line: int) -> tuple[str, int]:
        """Return the URI of the text that has a line of a file, and the number of the line there."""
        uri, text = self._at(path, line)
        return uri, text.place(line, 0).line

    def _at(self, path: str, line: int) -> tuple[str, Text]:
        """Return the URI of the client's text that has a line of a file, and that text or part of a text."""
        document = self._documents.at(path)
        if document is None:
            return uri_of(path), self._text(path)
        if document.layout is None or not document.layout.uris:
            return document.uri, self._text(path)
        return document.layout.at(line, self._text(path))

    def _text(self, path: str) -> Text:
        """Return the text of a file; that of an open document is already split into lines."""
        if path not in self._known:
            document, text = self._documents.at(path), self._texts[path]
            same = document is not None and document.text.text == text
            self._known[path] = document.text if document and same else Text(text, self._documents.encoding)
        return self._known[path]
