"""Walks over the lowered form."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from . import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_field_names: dict[type, tuple[str, ...]] = {}


def field_names(record: ir.Node | ir.Params) -> tuple[str, ...]:
    """The fields of a record that may hold others: all but its place in the text."""
    kind = type(record)
    if kind not in _field_names:
        _field_names[kind] = tuple(f.name for f in fields(record) if f.name not in {"start", "end", "chunk"})
    return _field_names[kind]


def blocks(statement: ir.Stmt) -> list[list[ir.Stmt]]:
    """The blocks directly inside a statement, in the order of the text, empty ones included."""
    match statement:
        case ir.If() | ir.While() | ir.For():
            return [statement.body, statement.orelse]
        case ir.With() | ir.FunctionDef() | ir.ClassDef():
            return [statement.body]
        case ir.Try():
            handlers = [handler.body for handler in statement.handlers]
            return [statement.body, *handlers, statement.orelse, statement.finalbody]
        case ir.Match():
            return [case.body for case in statement.cases]
    return []


def statements(body: Iterable[ir.Stmt], into_definitions: bool = True) -> Iterator[ir.Stmt]:
    """All statements of a block and of the blocks in it, in order; bodies of functions and classes if wanted."""
    for statement in body:
        yield statement
        if into_definitions or not isinstance(statement, (ir.FunctionDef, ir.ClassDef)):
            for block in blocks(statement):
                yield from statements(block, into_definitions)


def blocks_in(statement: ir.Stmt) -> Iterator[list[ir.Stmt]]:
    """The blocks inside a statement and those in them, but for bodies of functions and classes defined there."""
    for block in blocks(statement):
        yield block
        for one in block:
            if not isinstance(one, (ir.FunctionDef, ir.ClassDef)):
                yield from blocks_in(one)


def enclosing(body: Iterable[ir.Stmt], node: ir.Node) -> ir.FunctionDef | None:
    """The innermost function of a block in which a node stands; None if it stands in none."""
    inside = (s for s in statements(body) if isinstance(s, ir.FunctionDef) and s.start <= node.start < s.end)
    return max(inside, key=lambda s: s.start, default=None)


def nodes(record: object) -> Iterator[ir.Node | ir.Params]:
    """A record, or a list of them, and all records in it, in no order; one that stands in two places comes twice."""
    todo = [record]
    while todo:
        one = todo.pop()
        if isinstance(one, (list, tuple)):
            todo += one
        elif isinstance(one, (ir.Node, ir.Params)):
            yield one
            todo += [getattr(one, name) for name in field_names(one)]


def names(record: object) -> Iterator[str]:
    """The variables that a record names, or one of the records in it, definitions included."""
    return (one.id for one in nodes(record) if isinstance(one, ir.Name))
