"""Drawn programs without tensors: nothing that the replay knows of their names is other than what CPython computes."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from .drawn_programs.writer import Writer
from .test_python import OPEN, SAME, compared

if TYPE_CHECKING:
    from collections.abc import Iterator

STATEMENTS = 12


def runs(statements: list[str]) -> list[str]:
    """The statements that CPython gets through, one after the other, without those that raise or miss a name."""
    names: dict[str, Any] = {"__name__": "__main__"}
    bound: set[str] = set(dir(builtins))
    kept = []
    for statement in statements:
        try:
            nodes = list(ast.walk(ast.parse(statement)))
        except SyntaxError:  # an expression in a place that it can't be in
            continue
        own = {name for node in nodes for name in binds(node)}
        read = {node.id for node in nodes if isinstance(node, ast.Name)}
        if (read - own - bound) or any(early(node, nodes) - bound for node in nodes):
            continue
        try:
            exec(compile(statement, "main.py", "exec", dont_inherit=True), names)
        except Exception:
            return runs([one for one in statements if one is not statement])
        bound |= own
        kept.append(statement)
    return kept


def early(node: ast.AST, nodes: list[ast.AST]) -> set[str]:
    """The names that an assignment reads and that nothing in the statement has bound before it."""
    if not isinstance(node, ast.Assign | ast.AugAssign):
        return set()
    inside = list(ast.walk(node.value))
    before = [one for one in nodes if getattr(one, "lineno", node.lineno) < node.lineno]
    read = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        read.add(node.target.id)
    return read - {name for one in (*inside, *before) for name in binds(one)}


def binds(node: ast.AST) -> Iterator[str]:
    """The names that a piece of a program binds."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.alias):
        yield node.asname or node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        yield node.name or ""
    elif isinstance(node, ast.MatchMapping):
        yield node.rest or ""


def wrong(statements: list[str]) -> dict[str, str]:
    return {name: what for name, what in compared("\n".join(statements)).items() if what not in (SAME, OPEN)}


def shrunk(statements: list[str]) -> list[str]:
    """As few of the statements as still go wrong."""
    for i in reversed(range(1, len(statements))):
        fewer = statements[:i] + statements[i + 1 :]
        if runs(fewer) == fewer and wrong(fewer):
            statements = fewer
    return statements


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_nothing_known_is_wrong(first: int) -> None:
    found: Counter[str] = Counter()
    for seed in range(first, first + 20):
        statements = runs(Writer(seed).program(STATEMENTS))
        told = compared("\n".join(statements))
        found.update(what if what in (SAME, OPEN) else "wrong" for what in told.values())
        if any(what not in (SAME, OPEN) for what in told.values()):
            small = shrunk(statements)
            pytest.fail(f"seed {seed}: {wrong(small)}\n" + "\n".join(small))
    assert found[OPEN] <= 0.08 * found.total()
