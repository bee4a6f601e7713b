"""An edit that changes nothing that runs leaves the statement what it was.

A function whose head is as it was stays the same function when its body is edited: its record, and all that points to
it or into its head, stays valid; only its `body` is another list. A docstring stays the same statement whatever it
says, and so does any statement behind which, or inside of which, a comment or a blank line is edited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import ir
from .cursor import differ_in_comments
from .walk import blocks, field_names, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .chunk import Chunk


def renew(known: Chunk, edited: Chunk) -> bool:
    """Put the text of `edited` into `known`, if what `known` holds can stand for it; whether it can."""
    if len(known.body) != 1 or len(edited.body) != 1:
        return False
    was, now = known.body[0], edited.body[0]
    if isinstance(was, ir.FunctionDef) and isinstance(now, ir.FunctionDef):
        if not _same_head(was, now):
            return False
        if not relocate(was.body, known.text, now.body, edited.text):
            was.body, was.scope, was.doc = now.body, now.scope, now.doc
        was.end = now.end
        for statement in statements(was.body):
            statement.chunk = known
    elif known.kind == "header" or not (
        rewrite_text(was, now)
        or differ_in_comments(known.text, edited.text, was.end)
        or relocate(known.body, known.text, edited.body, edited.text)
    ):
        return False
    known.text, known.edit, known.problem = edited.text, None, edited.problem
    known.names.clear()
    known.parts = None
    return True


def rewrite_text(was: ir.Stmt, now: ir.Stmt) -> bool:
    """Let a docstring, or another string alone, say what `now` says, if that is one too; whether it is."""
    if not isinstance(was, ir.ExprStmt) or not isinstance(now, ir.ExprStmt):
        return False
    old, new = was.value, now.value
    if not isinstance(old, ir.Constant) or not isinstance(new, ir.Constant):
        return False
    if not isinstance(old.value, str) or not isinstance(new.value, str):
        return False
    old.value = new.value
    was.start, was.end, old.start, old.end = now.start, now.end, new.start, new.end
    return True


def relocate(was: list[ir.Stmt], text: str, now: list[ir.Stmt], edited: str) -> bool:
    """Let statements stand where others do that are the same in another place of their text; whether they are.

    What they quote must be the same, too: they differ in lines between statements, or in comments at the end of one.
    """
    pairs = list(_pairs(was, now))
    for old, new in pairs:
        if old is None or new is None:
            return False
        if _is_quoted(old) and text[old.start : old.end] != edited[new.start : new.end]:
            return False
    for old, new in pairs:
        assert old is not None and new is not None
        for name in _PLACES:
            if hasattr(old, name):
                setattr(old, name, getattr(new, name))
    return True


_PLACES = ("start", "end", "attr_start", "name_start")


def _is_quoted(node: ir.Node) -> bool:
    """Whether a node's text may have been quoted: that of a statement with a block would be too long."""
    return isinstance(node, ir.Expr | ir.Pattern) or (isinstance(node, ir.Stmt) and not blocks(node))


def _pairs(was: object, now: object) -> Iterator[tuple[ir.Node | None, ir.Node | None]]:
    """The records in two values, in pairs; a pair of None where they are not the same."""
    if type(was) is not type(now):
        yield None, None
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for one, other in zip(was, now, strict=True):
            yield from _pairs(one, other)
    elif isinstance(was, ir.Node | ir.Params) and isinstance(now, ir.Node | ir.Params):
        if isinstance(was, ir.Node) and isinstance(now, ir.Node):
            yield was, now
        for name in field_names(was):
            if name not in _PLACES and name != "scope":  # which is that of the same body
                yield from _pairs(getattr(was, name), getattr(now, name))
    elif was != now:
        yield None, None


def _same_head(was: ir.FunctionDef, now: ir.FunctionDef) -> bool:
    """Whether two functions are the same but for their bodies, at the same places of their chunks."""
    parts, others = _head(was), _head(now)
    if [len(part) for part in parts] != [len(part) for part in others]:
        return False
    end = max([_end_of_name(was), *(node.end for part in parts for node in part)])
    if end != max([_end_of_name(now), *(node.end for part in others for node in part)]):
        return False
    return was.chunk.text[:end] == now.chunk.text[:end]


def _end_of_name(function: ir.FunctionDef) -> int:
    return function.name_start + len(function.name)


def _head(function: ir.FunctionDef) -> list[list[ir.Node]]:
    params = function.params
    groups: list[list[ir.Node]] = [[*function.decorators], [*params.posonly], [*params.args], [*params.kwonly]]
    single: tuple[ir.Node | None, ...] = (params.vararg, params.kwarg, function.returns)
    return [*groups, *([node] if node is not None else [] for node in single)]
