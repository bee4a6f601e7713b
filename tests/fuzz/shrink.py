"""Makes a program smaller while it stays interesting.

Statements go (delta debugging: long runs first), blocks give way to their bodies, expressions to their parts.
"""

from __future__ import annotations

import ast
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS = 8.0
"""how long a program may be worked on"""


def shrink(text: str, interesting: Callable[[str], bool]) -> str:
    """The smallest program found for which `interesting` holds."""
    end = time.process_time() + SECONDS
    text = ast.unparse(ast.parse(text)) + "\n"
    before = None
    while before != text:
        before = text
        for step in (without, hoisted, simplified):
            place = 0
            while place is not None and time.process_time() < end:
                text, place = _next(text, step, place, interesting)
    return text


def _next(
    text: str, step: Callable[[str], Iterator[str]], place: int, interesting: Callable[[str], bool]
) -> tuple[str, int | None]:
    """The program after the next change of a step that keeps it interesting, and where to go on."""
    for number, candidate in enumerate(step(text)):
        if number >= place and len(candidate) < len(text) and interesting(candidate):
            return candidate, number
    return text, None


def _unparsed(tree: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _bodies(tree: ast.AST) -> list[list[ast.stmt]]:
    return [
        body
        for node in ast.walk(tree)
        for name in ("body", "orelse", "finalbody")
        if isinstance(body := getattr(node, name, None), list)
    ]


def without(text: str) -> Iterator[str]:
    """The program without a run of statements, long runs and late ones first."""
    sizes = [len(body) for body in _bodies(ast.parse(text))]
    longest = max(sizes)
    lengths = [length for k in range(1, 8) if (length := longest >> k) > 1]
    for length in (*lengths, 1):
        for which, size in enumerate(sizes):
            for start in range(size - length, -1, -length):
                tree = ast.parse(text)
                body = _bodies(tree)[which]
                if isinstance(body[start], ast.Pass):
                    continue
                del body[start : start + length]
                if not body:
                    body.append(ast.Pass())
                yield _unparsed(tree)


def hoisted(text: str) -> Iterator[str]:
    """The program with a block's body in the place of the block."""
    for which, size in enumerate(len(body) for body in _bodies(ast.parse(text))):
        for index in range(size):
            tree = ast.parse(text)
            body = _bodies(tree)[which]
            inner = getattr(body[index], "body", None)
            if inner:
                body[index : index + 1] = inner
                yield _unparsed(tree)


def simplified(text: str) -> Iterator[str]:
    """The program with an expression replaced by a part of it."""
    for which in range(len(_places(ast.parse(text)))):
        for part in range(4):
            tree = ast.parse(text)
            holder, name, index = _places(tree)[which]
            value = getattr(holder, name) if index is None else getattr(holder, name)[index]
            parts = [child for child in ast.iter_child_nodes(value) if isinstance(child, ast.expr)]
            parts += [child.value for child in parts if isinstance(child, ast.Attribute)]
            if part >= len(parts):
                break
            if index is None:
                setattr(holder, name, parts[part])
            else:
                getattr(holder, name)[index] = parts[part]
            yield _unparsed(tree)


def _places(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    """Where expressions are that have parts, and whose value is read."""
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if _has_parts(value):
                found.append((node, name, None))
            elif isinstance(value, list):
                found += [(node, name, index) for index, item in enumerate(value) if _has_parts(item)]
    return found


def _has_parts(value: object) -> bool:
    return isinstance(value, (ast.BinOp, ast.Call)) or (
        isinstance(value, ast.Subscript) and isinstance(value.ctx, ast.Load)
    )
