"""From a chunk's text to its statements: libcst parses, one plain walk lowers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from libcst import native  # type: ignore[attr-defined]  # compiled, without stubs

from . import ir
from .cursor import Cursor
from .depth import check_depth
from .statements import statements

if TYPE_CHECKING:
    from .chunks import Chunk

# What goes before and after a chunk's text to make a program of it.
WRAPPERS = {"statement": ("", ""), "header": ("", " pass\n"), "member": ("if 1:\n", "")}


def lower(text: str, chunk: Chunk) -> list[ir.Stmt]:
    """The statements of `text`, which stands in the place of `chunk`'s: a class's header comes without its body.

    Raises `libcst.ParserSyntaxError` where the text isn't Python, `TooDeepError` where a parse would not be safe,
    RecursionError where the lowering isn't, ValueError where a literal has no value, `LostError` where text
    and tree disagree.
    """
    check_depth(text)
    before, after = WRAPPERS[chunk.kind]
    tree = native.parse_module(before + text + after, "utf-8").body
    cursor = Cursor(text + after, chunk)
    if chunk.kind == "member":
        (wrapper,) = tree
        assert isinstance(wrapper, cst.If)
        return statements(cursor, wrapper.body.body)
    body = statements(cursor, tree)
    if chunk.kind == "header":
        definition = body[-1]
        assert isinstance(definition, ir.ClassDef)
        definition.body = []
    return body
