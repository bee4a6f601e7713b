"""A function whose head is as it was stays the same function when its body is edited.

Its record, and all that points to it or into its head, stays valid; only its `body` is another list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import ir
from .walk import statements

if TYPE_CHECKING:
    from .chunk import Chunk


def renew(known: Chunk, edited: Chunk) -> bool:
    """Put the text of `edited` into `known`, if both are one function whose head is the same; whether they are."""
    if len(known.body) != 1 or len(edited.body) != 1:
        return False
    was, now = known.body[0], edited.body[0]
    if not isinstance(was, ir.FunctionDef) or not isinstance(now, ir.FunctionDef) or not _same_head(was, now):
        return False
    was.body, was.end, was.scope, was.doc = now.body, now.end, now.scope, now.doc
    for statement in statements(was.body):
        statement.chunk = known
    known.text, known.edit, known.problem = edited.text, None, edited.problem
    known.names.clear()
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
