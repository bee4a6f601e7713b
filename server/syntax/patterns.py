"""Patterns of `match` → patterns of the lowered form, in the same way as expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import ir
from .expressions import comma, expression
from .nodes import cst

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .cursor import Cursor


def pattern(c: Cursor, node: cst.MatchPattern) -> ir.Pattern:
    """Lowers any pattern, with the parentheses around it; binds the names that it captures."""
    # A literal's parentheses belong to the expression in it, where libcst shows them once more; a star has none.
    lpar = () if isinstance(node, (cst.MatchValue, cst.MatchSingleton)) else getattr(node, "lpar", ())
    for _ in lpar:
        c.take("(")
    result = _lowerings[type(node)](c, node, c.pos)
    for _ in lpar:
        c.take(")")
    return result


def _value(c: Cursor, node: cst.MatchValue | cst.MatchSingleton, _: int) -> ir.Pattern:
    value = expression(c, node.value)
    return ir.MatchValue(value.start, value.end, value)


def _capture(c: Cursor, name: cst.Name | None) -> str | None:
    """Binds a captured name; `None` is the wildcard `_`."""
    if name is None:
        c.take("_")
        return None
    word = c.word(name.value)
    c.bindings.names.add(word)
    return word


def _as(c: Cursor, node: cst.MatchAs, start: int) -> ir.Pattern:
    if node.pattern is None:
        name = _capture(c, node.name)
        return ir.MatchAs(start, c.end, None, name)
    inner = pattern(c, node.pattern)
    c.take("as")
    name = _capture(c, node.name)
    return ir.MatchAs(start, c.end, inner, name)


def _or(c: Cursor, node: cst.MatchOr, start: int) -> ir.Pattern:
    patterns = []
    for element in node.patterns:
        patterns.append(pattern(c, element.pattern))
        if isinstance(element.separator, cst.BitOr):
            c.take("|")
    return ir.MatchOr(start, c.end, patterns)


def _elements(c: Cursor, nodes: Sequence[cst.MatchSequenceElement | cst.MatchStar]) -> list[ir.Pattern]:
    patterns = []
    for node in nodes:
        patterns.append(_star(c, node) if isinstance(node, cst.MatchStar) else pattern(c, node.value))
        comma(c, node.comma)
    return patterns


def _star(c: Cursor, node: cst.MatchStar) -> ir.Pattern:
    start = c.pos
    c.take("*")
    name = _capture(c, node.name)
    return ir.MatchStar(start, c.end, name)


def _list(c: Cursor, node: cst.MatchList, start: int) -> ir.Pattern:
    if node.lbracket is not None:
        c.take("[")
    patterns = _elements(c, node.patterns)
    if node.rbracket is not None:
        c.take("]")
    return ir.MatchSequence(start, c.end, patterns)


def _tuple(c: Cursor, node: cst.MatchTuple, start: int) -> ir.Pattern:
    if not node.patterns:  # nothing to span but its parentheses
        return ir.MatchSequence(c.end - 1, c.pos + 1, [])
    patterns = _elements(c, node.patterns)
    return ir.MatchSequence(start, c.end, patterns)


def _mapping(c: Cursor, node: cst.MatchMapping, start: int) -> ir.Pattern:
    keys = []
    patterns = []
    c.take("{")
    for element in node.elements:
        keys.append(expression(c, element.key))
        c.take(":")
        patterns.append(pattern(c, element.pattern))
        comma(c, element.comma)
    rest = None
    if node.rest is not None:
        c.take("**")
        rest = _capture(c, node.rest)
        if node.trailing_comma is not None:
            c.take(",")
    c.take("}")
    return ir.MatchMapping(start, c.end, keys, patterns, rest)


def _class(c: Cursor, node: cst.MatchClass, start: int) -> ir.Pattern:
    cls = expression(c, node.cls)
    c.take("(")
    patterns = _elements(c, node.patterns)
    names = []
    values = []
    for element in node.kwds:
        names.append(c.word(element.key.value))
        c.take("=")
        values.append(pattern(c, element.pattern))
        comma(c, element.comma)
    c.take(")")
    return ir.MatchClass(start, c.end, cls, patterns, names, values)


_lowerings: dict[type[cst.CSTNode], Callable[[Cursor, Any, int], ir.Pattern]] = {
    cst.MatchAs: _as,
    cst.MatchClass: _class,
    cst.MatchList: _list,
    cst.MatchMapping: _mapping,
    cst.MatchOr: _or,
    cst.MatchSingleton: _value,
    cst.MatchTuple: _tuple,
    cst.MatchValue: _value,
}
