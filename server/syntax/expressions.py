"""Expressions of libcst → expressions of the lowered form.

Each function lowers one type of node. It is called with the cursor at the node's first token, `start`,
and leaves it after the last one; parentheses around the node are `expression`'s business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import ir, literals
from .cursor import Bindings, Cursor
from .nodes import cst

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_absent = cst.MaybeSentinel.DEFAULT

_singletons = {"None": None, "True": True, "False": False}

_binary = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
}

_unary = {cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~", cst.Not: "not"}

_comparison = {
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.In: "in",
    cst.NotIn: "not in",
    cst.Is: "is",
    cst.IsNot: "is not",
}


def expression(c: Cursor, node: cst.BaseExpression) -> ir.Expr:
    """Lowers any expression, with the parentheses around it."""
    for _ in node.lpar:
        c.take("(")
    result = _lowerings[type(node)](c, node, c.pos)
    for _ in node.rpar:
        c.take(")")
    return result


def optional(c: Cursor, node: cst.BaseExpression | None) -> ir.Expr | None:
    """Lowers an expression that may be missing."""
    return None if node is None else expression(c, node)


def comma(c: Cursor, node: cst.Comma | cst.MaybeSentinel) -> None:
    """Steps over a comma, if there is one."""
    if node is not _absent:
        c.take(",")


# -- names and literals -----------------------------------------------------------------------


def _name(c: Cursor, node: cst.Name, start: int) -> ir.Expr:
    name = c.word(node.value)
    if name in _singletons:
        return ir.Constant(start, c.end, _singletons[name])
    return ir.Name(start, c.end, name)


def _number(c: Cursor, node: cst.BaseNumber, start: int) -> ir.Expr:
    text: str = node.value  # type: ignore[attr-defined]  # all three kinds of numbers have it
    c.take(text)
    return ir.Constant(start, c.end, literals.number(text))


def _ellipsis(c: Cursor, _: cst.Ellipsis, start: int) -> ir.Expr:
    c.take("...")
    return ir.Constant(start, c.end, ...)


def _string(c: Cursor, node: cst.SimpleString, start: int) -> ir.Expr:
    c.take(node.value)
    return ir.Constant(start, c.end, literals.string(node.value))


class _Pieces:
    """Gathers the pieces of an f-string."""

    def __init__(self) -> None:
        self.values: list[ir.Expr] = []
        self.text = [""]
        self.plain = True
        self.formats: list[str] | None = []

    def add(self, text: str) -> None:
        self.text[-1] += text

    def embed(self, value: ir.Expr) -> None:
        self.values.append(value)
        self.text.append("")

    def joined(self, start: int, end: int) -> ir.JoinedStr:
        return ir.JoinedStr(start, end, self.values, self.text, self.plain, self.formats)


def _formatted(c: Cursor, node: cst.FormattedString | cst.TemplatedString, start: int) -> ir.Expr:
    pieces = _Pieces()
    _format_string(c, node, pieces)
    return pieces.joined(start, c.end)


def _format_string(c: Cursor, node: cst.FormattedString | cst.TemplatedString, pieces: _Pieces) -> None:
    prefix = node.start.rstrip("\"'").lower()
    if "t" in prefix:
        pieces.plain, pieces.formats = False, None
    c.take_raw(node.start)
    for part in node.parts:
        if isinstance(part, (cst.FormattedStringText, cst.TemplatedStringText)):
            c.take_raw(part.value)
            text = literals.unescape(part.value.replace("{{", "{").replace("}}", "}"), prefix)
            assert isinstance(text, str)
            pieces.add(text)
        else:
            _replacement(c, part, pieces)
    c.take(node.end)


def _replacement(c: Cursor, part: Any, pieces: _Pieces) -> None:
    """A replacement field, `{expression=!conversion:specification}`; the specification may hold further fields."""
    c.take("{")
    begin, form = c.end, ""
    pieces.embed(expression(c, part.expression))
    if part.equal is not None:
        c.take("=")
        pieces.plain = False
        pieces.text[-2] += c.text[begin : c.pos]
        form = "!r" if part.conversion is None and part.format_spec is None else ""
    if part.conversion is not None:
        c.take("!")
        c.take(part.conversion)
        pieces.plain = False
        form = f"!{part.conversion}"
    if part.format_spec is not None:
        c.take_raw(":")
        pieces.plain = False
        form += ":"
        for spec in part.format_spec:
            if isinstance(spec, (cst.FormattedStringText, cst.TemplatedStringText)):
                c.take_raw(spec.value)
                form += spec.value
            else:
                pieces.formats = None
                _replacement(c, spec, pieces)
    if pieces.formats is not None:
        pieces.formats.append(form)
    c.take_raw("}")


def _concatenated(c: Cursor, node: cst.ConcatenatedString, start: int) -> ir.Expr:
    parts: list[Any] = []
    rest: Any = node
    while isinstance(rest, cst.ConcatenatedString):
        parts.append(rest.left)
        rest = rest.right
    parts.append(rest)
    if all(isinstance(part, cst.SimpleString) for part in parts):
        for part in parts:
            c.take(part.value)
        return ir.Constant(start, c.end, _join([literals.string(part.value) for part in parts]))
    pieces = _Pieces()
    for part in parts:
        if isinstance(part, cst.SimpleString):
            c.take(part.value)
            pieces.add(str(literals.string(part.value)))
        else:
            _format_string(c, part, pieces)
    return pieces.joined(start, c.end)


def _join(values: list[str | bytes]) -> str | bytes:
    if isinstance(values[0], bytes):
        return b"".join(value for value in values if isinstance(value, bytes))
    return "".join(value for value in values if isinstance(value, str))


# -- displays and comprehensions --------------------------------------------------------------


def _elements(c: Cursor, nodes: Sequence[cst.BaseElement]) -> list[ir.Expr]:
    elements = []
    for node in nodes:
        elements.append(expression(c, node if isinstance(node, cst.StarredElement) else node.value))
        comma(c, node.comma)
    return elements


def _starred(c: Cursor, node: cst.StarredElement, start: int) -> ir.Expr:
    c.take("*")
    value = expression(c, node.value)
    return ir.Starred(start, c.end, value)


def _tuple(c: Cursor, node: cst.Tuple, start: int) -> ir.Expr:
    if not node.elements:  # nothing to span but its parentheses
        return ir.Tuple(c.end - 1, c.pos + 1, [])
    elements = _elements(c, node.elements)
    return ir.Tuple(start, c.end, elements)


def _list(c: Cursor, node: cst.List, start: int) -> ir.Expr:
    c.take("[")
    elements = _elements(c, node.elements)
    c.take("]")
    return ir.List(start, c.end, elements)


def _set(c: Cursor, node: cst.Set, start: int) -> ir.Expr:
    c.take("{")
    elements = _elements(c, node.elements)
    c.take("}")
    return ir.Set(start, c.end, elements)


def _dict(c: Cursor, node: cst.Dict, start: int) -> ir.Expr:
    keys: list[ir.Expr | None] = []
    values = []
    c.take("{")
    for element in node.elements:
        if isinstance(element, cst.DictElement):
            keys.append(expression(c, element.key))
            c.take(":")
        else:
            keys.append(None)
            c.take("**")
        values.append(expression(c, element.value))
        comma(c, element.comma)
    c.take("}")
    return ir.Dict(start, c.end, keys, values)


def _generators(c: Cursor, node: cst.CompFor | None) -> list[ir.Comprehension]:
    generators = []
    while node is not None:
        start = c.pos
        if node.asynchronous is not None:
            c.take("async")
        c.take("for")
        target = expression(c, node.target)
        c.take("in")
        iterable = expression(c, node.iter)
        tests = []
        for condition in node.ifs:
            c.take("if")
            tests.append(expression(c, condition.test))
        generators.append(ir.Comprehension(start, c.end, target, iterable, tests, node.asynchronous is not None))
        node = node.inner_for_in
    return generators


def _comprehension(kind: str, brackets: str) -> Callable[[Cursor, cst.BaseSimpleComp, int], ir.Expr]:
    def lower(c: Cursor, node: cst.BaseSimpleComp, start: int) -> ir.Expr:
        c.take(brackets[0])
        result = _generator(c, node, c.pos)
        c.take(brackets[1])
        return ir.Comp(start, c.end, kind, result.elt, None, result.generators)

    return lower


def _generator(c: Cursor, node: cst.BaseSimpleComp, start: int) -> ir.Comp:
    element = expression(c, node.elt)
    generators = _generators(c, node.for_in)
    return ir.Comp(start, c.end, "generator", element, None, generators)


def _dict_comp(c: Cursor, node: cst.DictComp, start: int) -> ir.Expr:
    c.take("{")
    key = expression(c, node.key)
    c.take(":")
    value = expression(c, node.value)
    generators = _generators(c, node.for_in)
    c.take("}")
    return ir.Comp(start, c.end, "dict", key, value, generators)


# -- attributes, subscripts, calls ------------------------------------------------------------


def _attribute(c: Cursor, node: cst.Attribute, start: int) -> ir.Expr:
    value = expression(c, node.value)
    c.take(".")
    attr_start = c.pos
    attr = c.word(node.attr.value)
    return ir.Attribute(start, c.end, value, attr, attr_start)


def _subscript(c: Cursor, node: cst.Subscript, start: int) -> ir.Expr:
    value = expression(c, node.value)
    c.take("[")
    index = _indices(c, node.slice)
    c.take("]")
    return ir.Subscript(start, c.end, value, index)


def _indices(c: Cursor, nodes: Sequence[cst.SubscriptElement]) -> ir.Expr:
    start = c.pos
    elements = []
    for node in nodes:
        elements.append(_index(c, node.slice))
        comma(c, node.comma)
    if len(elements) == 1 and nodes[0].comma is _absent and not isinstance(elements[0], ir.Starred):
        return elements[0]
    return ir.Tuple(start, c.end, elements)


def _index(c: Cursor, node: cst.BaseSlice) -> ir.Expr:
    start = c.pos
    if isinstance(node, cst.Slice):
        return _slice(c, node, start)
    assert isinstance(node, cst.Index)
    if node.star is None:
        return expression(c, node.value)
    c.take("*")
    value = expression(c, node.value)
    return ir.Starred(start, c.end, value)


def _slice(c: Cursor, node: cst.Slice, start: int) -> ir.Expr:
    lower = optional(c, node.lower)
    c.take(":")
    upper = optional(c, node.upper)
    if node.second_colon is not _absent:
        c.take(":")
    step = optional(c, node.step)
    return ir.Slice(start, c.end, lower, upper, step)


def _call(c: Cursor, node: cst.Call, start: int) -> ir.Expr:
    func = expression(c, node.func)
    c.take("(")
    args = [argument(c, arg) for arg in node.args]
    c.take(")")
    return ir.Call(start, c.end, func, args)


def argument(c: Cursor, node: cst.Arg) -> ir.Arg:
    """Lowers one argument of a call or of a class statement, and steps over the comma after it."""
    start = c.pos
    name = None
    if node.star:
        c.take(node.star)
    elif node.keyword is not None:
        name = c.word(node.keyword.value)
        c.take("=")
    value = expression(c, node.value)
    result = ir.Arg(start, c.end, value, name, node.star)
    comma(c, node.comma)
    return result


# -- operators --------------------------------------------------------------------------------


def _unary_operation(c: Cursor, node: cst.UnaryOperation, start: int) -> ir.Expr:
    op = _unary[type(node.operator)]
    c.take(op)
    operand = expression(c, node.expression)
    return ir.UnaryOp(start, c.end, op, operand)


def _binary_operation(c: Cursor, node: cst.BinaryOperation, start: int) -> ir.Expr:
    left = expression(c, node.left)
    op = _binary[type(node.operator)]
    c.take(op)
    right = expression(c, node.right)
    return ir.BinOp(start, c.end, left, op, right)


def _boolean_operation(c: Cursor, node: cst.BooleanOperation, start: int) -> ir.Expr:
    kind = type(node.operator)
    op = "and" if kind is cst.And else "or"
    operands = [node.right]
    left = node.left
    while isinstance(left, cst.BooleanOperation) and type(left.operator) is kind and not left.lpar:
        operands.append(left.right)
        left = left.left
    values = [expression(c, left)]
    for operand in reversed(operands):
        c.take(op)
        values.append(expression(c, operand))
    return ir.BoolOp(start, c.end, op, values)


def _comparisons(c: Cursor, node: cst.Comparison, start: int) -> ir.Expr:
    left = expression(c, node.left)
    ops = []
    comparators = []
    for target in node.comparisons:
        op = _comparison[type(target.operator)]
        for token in op.split():
            c.take(token)
        ops.append(op)
        comparators.append(expression(c, target.comparator))
    return ir.Compare(start, c.end, left, ops, comparators)


def _conditional(c: Cursor, node: cst.IfExp, start: int) -> ir.Expr:
    body = expression(c, node.body)
    c.take("if")
    test = expression(c, node.test)
    c.take("else")
    orelse = expression(c, node.orelse)
    return ir.IfExp(start, c.end, test, body, orelse)


def _named(c: Cursor, node: cst.NamedExpr, start: int) -> ir.Expr:
    target = expression(c, node.target)
    assert isinstance(target, ir.Name)
    c.bindings.names.add(target.id)
    c.take(":=")
    value = expression(c, node.value)
    return ir.NamedExpr(start, c.end, target, value)


def _await(c: Cursor, node: cst.Await, start: int) -> ir.Expr:
    c.take("await")
    value = expression(c, node.expression)
    return ir.Await(start, c.end, value)


def _yield(c: Cursor, node: cst.Yield, start: int) -> ir.Expr:
    c.bindings.is_generator = True
    c.take("yield")
    if isinstance(node.value, cst.From):
        c.take("from")
        value = expression(c, node.value.item)
        return ir.Yield(start, c.end, value, True)
    result = optional(c, node.value)
    return ir.Yield(start, c.end, result, False)


# -- parameters -------------------------------------------------------------------------------


def _lambda(c: Cursor, node: cst.Lambda, start: int) -> ir.Expr:
    c.take("lambda")
    params = parameters(c, node.params)
    c.take(":")
    outer, c.bindings = c.bindings, Bindings()
    body = expression(c, node.body)
    c.bindings = outer
    return ir.Lambda(start, c.end, params, body)


def parameters(c: Cursor, node: cst.Parameters) -> ir.Params:
    """Lowers the parameters of a function or lambda."""
    posonly = [_param(c, param) for param in node.posonly_params]
    if isinstance(node.posonly_ind, cst.ParamSlash):
        c.take("/")
        comma(c, node.posonly_ind.comma)
    args = [_param(c, param) for param in node.params]
    vararg = None
    if isinstance(node.star_arg, cst.Param):
        vararg = _param(c, node.star_arg)
    elif isinstance(node.star_arg, cst.ParamStar):
        c.take("*")
        comma(c, node.star_arg.comma)
    kwonly = [_param(c, param) for param in node.kwonly_params]
    kwarg = None if node.star_kwarg is None else _param(c, node.star_kwarg)
    return ir.Params(posonly, args, vararg, kwonly, kwarg)


def _param(c: Cursor, node: cst.Param) -> ir.Param:
    if isinstance(node.star, str):
        c.take(node.star)
    start = c.pos
    name = c.word(node.name.value)
    annotation = default = None
    if node.annotation is not None:
        c.take(":")
        annotation = expression(c, node.annotation.annotation)
    if node.default is not None:
        c.take("=")
        default = expression(c, node.default)
    result = ir.Param(start, c.end, name, annotation, default)
    comma(c, node.comma)
    return result


_lowerings: dict[type[cst.CSTNode], Callable[[Cursor, Any, int], ir.Expr]] = {
    cst.Attribute: _attribute,
    cst.Await: _await,
    cst.BinaryOperation: _binary_operation,
    cst.BooleanOperation: _boolean_operation,
    cst.Call: _call,
    cst.Comparison: _comparisons,
    cst.ConcatenatedString: _concatenated,
    cst.Dict: _dict,
    cst.DictComp: _dict_comp,
    cst.Ellipsis: _ellipsis,
    cst.Float: _number,
    cst.FormattedString: _formatted,
    cst.GeneratorExp: _generator,
    cst.IfExp: _conditional,
    cst.Imaginary: _number,
    cst.Integer: _number,
    cst.Lambda: _lambda,
    cst.List: _list,
    cst.ListComp: _comprehension("list", "[]"),
    cst.Name: _name,
    cst.NamedExpr: _named,
    cst.Set: _set,
    cst.SetComp: _comprehension("set", "{}"),
    cst.SimpleString: _string,
    cst.StarredElement: _starred,
    cst.Subscript: _subscript,
    cst.TemplatedString: _formatted,
    cst.Tuple: _tuple,
    cst.UnaryOperation: _unary_operation,
    cst.Yield: _yield,
}
