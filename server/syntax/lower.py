"""From a chunk's text to its statements: libcst parses, one plain walk lowers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import ir
from .cursor import Cursor
from .depth import check_depth
from .nodes import cst, native
from .statements import statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cursor import Bindings
    from .text import Excerpt, Kind

# What goes before and after a chunk's text to make a program of it.
WRAPPERS: dict[Kind, tuple[str, str]] = {"statement": ("", ""), "header": ("", " pass\n"), "member": ("if 1:\n", "")}


def lower(text: str, chunk: Excerpt, bindings: Bindings | None = None) -> list[ir.Stmt]:
    """The statements of `text`, which stands in for the text of `chunk`: a class's header comes without its body.

    The names that they bind go to `bindings`.

    Raises what `parse_chunk` does, ValueError if a literal has no value, RecursionError if a tree is too deep to walk,
    `LostError` if text and tree disagree.
    """
    tree = parse_chunk(text, chunk.kind)
    cursor = Cursor(text + WRAPPERS[chunk.kind][1], chunk)
    if chunk.kind == "member":
        (wrapper,) = tree
        assert isinstance(wrapper, cst.If)
        tree = wrapper.body.body
    body = statements(cursor, tree)
    if bindings is not None:
        bindings.add(cursor.bindings)
    if chunk.kind == "header":
        definition = body[-1]
        assert isinstance(definition, ir.ClassDef)
        definition.body = []
    return body


def parse_chunk(text: str, kind: Kind) -> Sequence[cst.CSTNode]:
    """libcst's statements of a chunk's text, in its wrapper.

    Raises `libcst.ParserSyntaxError` if the text isn't Python, `TooDeepError` if parsing would not be safe, ValueError
    if the text cannot be encoded.
    """
    check_depth(text)
    before, after = WRAPPERS[kind]
    body: Sequence[cst.CSTNode] = native.parse_module(before + text + after, "utf-8").body
    return body
