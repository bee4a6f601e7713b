"""An edit that changes nothing that runs leaves the statement what it was.

A function whose head is as it was stays the same function when its body is edited: its record, and all that points to
it or into its head, stays valid; only its `body` is another list. A docstring stays the same statement whatever it
says, and so does any statement behind which a comment is edited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import ir
from .cursor import differ_in_comments
from .walk import statements

if TYPE_CHECKING:
    from .chunk import Chunk


def renew(known: Chunk, edited: Chunk) -> bool:
    """Put the text of `edited` into `known`, if what `known` holds can stand for it; whether it can."""
    if len(known.body) != 1 or len(edited.body) != 1:
        return False
    was, now = known.body[0], edited.body[0]
    if isinstance(was, ir.FunctionDef) and isinstance(now, ir.FunctionDef):
        if not _same_head(was, now):
            return False
        was.body, was.end, was.scope, was.doc = now.body, now.end, now.scope, now.doc
        for statement in statements(was.body):
            statement.chunk = known
    elif known.kind == "header" or not (rewrite_text(was, now) or differ_in_comments(known.text, edited.text, was.end)):
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
