"""Diagnostics of a text that was edited meanwhile: they move along with it, as an editor's own marks do."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from lsprotocol import types

from ..syntax.chunks import line_starts
from ..syntax.positions import to_units

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..syntax.positions import Encoding

Edit = types.TextDocumentContentChangePartial


def moved(
    items: Iterable[types.Diagnostic],
    uri: str,
    changes: Iterable[types.TextDocumentContentChangeEvent],
    encoding: Encoding,
) -> list[types.Diagnostic]:
    """The diagnostics of the document `uri` after edits of its text, without those whose own text was edited."""
    kept = list(items)
    for change in changes:
        if not isinstance(change, Edit):
            return []
        kept = [one for item in kept if (one := _after(change, item, uri, encoding)) is not None]
    return kept


def _after(edit: Edit, item: types.Diagnostic, uri: str, encoding: Encoding) -> types.Diagnostic | None:
    place = _range(edit, item.range, encoding)
    if place is None:
        return None
    item = copy(item)
    item.range = place
    if item.related_information:
        related = (_related(edit, one, uri, encoding) for one in item.related_information)
        item.related_information = [one for one in related if one is not None]
    return item


def _related(
    edit: Edit, one: types.DiagnosticRelatedInformation, uri: str, encoding: Encoding
) -> types.DiagnosticRelatedInformation | None:
    if one.location.uri != uri:
        return one
    place = _range(edit, one.location.range, encoding)
    return None if place is None else types.DiagnosticRelatedInformation(types.Location(uri, place), one.message)


def _range(edit: Edit, place: types.Range, encoding: Encoding) -> types.Range | None:
    """Where a range is after an edit; None if the edit reaches into it."""
    if edit.range.end <= place.start:
        return types.Range(_position(edit, place.start, encoding), _position(edit, place.end, encoding))
    return place if place.end <= edit.range.start else None


def _position(edit: Edit, position: types.Position, encoding: Encoding) -> types.Position:
    """Where a position behind an edit is afterwards."""
    start, end, starts = edit.range.start, edit.range.end, line_starts(edit.text)
    line = position.line - end.line + start.line + len(starts) - 1
    if position.line > end.line:
        return types.Position(line, position.character)
    last = edit.text[starts[-1] :]
    before = to_units(last, len(last), encoding) + (start.character if len(starts) == 1 else 0)
    return types.Position(line, before + position.character - end.character)
