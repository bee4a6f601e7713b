"""Statements of libcst → statements of the lowered form.

As with expressions, each function lowers one type of node, called with the cursor at its first token.
Names that a statement binds are noted in `Cursor.bindings`, of which a function's `Scope` is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import ir
from .cursor import Bindings, Cursor
from .expressions import argument, comma, expression, optional, parameters
from .nodes import cst
from .patterns import pattern


def statements(c: Cursor, nodes: Iterable[cst.CSTNode]) -> list[ir.Stmt]:
    """Lowers the statements of a block or of a whole text."""
    result: list[ir.Stmt] = []
    for node in nodes:
        if isinstance(node, cst.SimpleStatementLine):
            _simple_statements(c, node.body, result)
        else:
            result.append(_compound[type(node)](c, node, c.pos))
    return result


def _simple_statements(c: Cursor, nodes: Sequence[Any], into: list[ir.Stmt]) -> None:
    for node in nodes:
        into.append(_simple[type(node)](c, node, c.pos))
        if node.semicolon is not cst.MaybeSentinel.DEFAULT:
            c.take(";")


def _block(c: Cursor, node: cst.BaseSuite) -> list[ir.Stmt]:
    c.take(":")
    if isinstance(node, cst.IndentedBlock):
        return statements(c, node.body)
    result: list[ir.Stmt] = []
    _simple_statements(c, node.body, result)
    return result


def _bind(c: Cursor, target: ir.Expr) -> None:
    """Notes the names that an assignment to `target` binds."""
    if isinstance(target, ir.Name):
        c.bindings.names.add(target.id)
    elif isinstance(target, (ir.Tuple, ir.List)):
        for element in target.elts:
            _bind(c, element)
    elif isinstance(target, ir.Starred):
        _bind(c, target.value)


def _target(c: Cursor, node: cst.BaseExpression) -> ir.Expr:
    target = expression(c, node)
    _bind(c, target)
    return target


# -- simple statements ------------------------------------------------------------------------


def _expression_statement(c: Cursor, node: cst.Expr, start: int) -> ir.Stmt:
    value = expression(c, node.value)
    return ir.ExprStmt(start, c.end, c.chunk, value)


def _assign(c: Cursor, node: cst.Assign, start: int) -> ir.Stmt:
    targets = []
    for target in node.targets:
        targets.append(_target(c, target.target))
        c.take("=")
    value = expression(c, node.value)
    return ir.Assign(start, c.end, c.chunk, targets, value)


def _augmented(c: Cursor, node: cst.AugAssign, start: int) -> ir.Stmt:
    target = _target(c, node.target)
    op = _augmented_operators[type(node.operator)]
    c.take(op + "=")
    value = expression(c, node.value)
    return ir.AugAssign(start, c.end, c.chunk, target, op, value)


def _annotated(c: Cursor, node: cst.AnnAssign, start: int) -> ir.Stmt:
    target = _target(c, node.target)
    c.take(":")
    annotation = expression(c, node.annotation.annotation)
    value = None
    if node.value is not None:
        c.take("=")
        value = expression(c, node.value)
    return ir.AnnAssign(start, c.end, c.chunk, target, annotation, value)


def _return(c: Cursor, node: cst.Return, start: int) -> ir.Stmt:
    c.take("return")
    value = optional(c, node.value)
    return ir.Return(start, c.end, c.chunk, value)


def _raise(c: Cursor, node: cst.Raise, start: int) -> ir.Stmt:
    c.take("raise")
    exc = optional(c, node.exc)
    cause = None
    if node.cause is not None:
        c.take("from")
        cause = expression(c, node.cause.item)
    return ir.Raise(start, c.end, c.chunk, exc, cause)


def _assert(c: Cursor, node: cst.Assert, start: int) -> ir.Stmt:
    c.take("assert")
    test = expression(c, node.test)
    message = None
    if node.msg is not None:
        c.take(",")
        message = expression(c, node.msg)
    return ir.Assert(start, c.end, c.chunk, test, message)


def _delete(c: Cursor, node: cst.Del, start: int) -> ir.Stmt:
    c.take("del")
    target = _target(c, node.target)
    several = isinstance(target, ir.Tuple) and not node.target.lpar
    targets = target.elts if several and isinstance(target, ir.Tuple) else [target]
    return ir.Delete(start, c.end, c.chunk, targets)


def _bare(keyword: str, kind: type[ir.Pass | ir.Break | ir.Continue]) -> Callable[[Cursor, Any, int], ir.Stmt]:
    def lower(c: Cursor, _: cst.CSTNode, start: int) -> ir.Stmt:
        c.take(keyword)
        return kind(start, c.end, c.chunk)

    return lower


def _names(keyword: str) -> Callable[[Cursor, Any, int], ir.Stmt]:
    def lower(c: Cursor, node: cst.Global | cst.Nonlocal, start: int) -> ir.Stmt:
        c.take(keyword)
        names = []
        for item in node.names:
            names.append(c.word(item.name.value))
            comma(c, item.comma)
        if keyword == "global":
            c.bindings.globals.update(names)
            return ir.Global(start, c.end, c.chunk, names)
        c.bindings.nonlocals.update(names)
        return ir.Nonlocal(start, c.end, c.chunk, names)

    return lower


def _dotted(c: Cursor, node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        value = _dotted(c, node.value)
        c.take(".")
        return f"{value}.{c.word(node.attr.value)}"
    assert isinstance(node, cst.Name)
    return c.word(node.value)


def _alias(c: Cursor, node: cst.ImportAlias) -> ir.Alias:
    start = c.pos
    name = _dotted(c, node.name)
    asname = None
    if node.asname is not None:
        c.take("as")
        assert isinstance(node.asname.name, cst.Name)
        asname = c.word(node.asname.name.value)
    result = ir.Alias(start, c.end, name, asname)
    c.bindings.names.add(asname or name.partition(".")[0])
    comma(c, node.comma)
    return result


def _import(c: Cursor, node: cst.Import | cst.LazyImport, start: int) -> ir.Stmt:
    if isinstance(node, cst.LazyImport):
        c.take("lazy")
    c.take("import")
    names = [_alias(c, name) for name in node.names]
    return ir.Import(start, c.end, c.chunk, names)


def _import_from(c: Cursor, node: cst.ImportFrom | cst.LazyImportFrom, start: int) -> ir.Stmt:
    if isinstance(node, cst.LazyImportFrom):
        c.take("lazy")
    c.take("from")
    for _ in node.relative:
        c.take(".")
    module = None if node.module is None else _dotted(c, node.module)
    c.take("import")
    if isinstance(node.names, cst.ImportStar):
        star = c.pos
        c.take("*")
        names = [ir.Alias(star, c.end, "*", None)]
    else:
        if node.lpar is not None:
            c.take("(")
        names = [_alias(c, name) for name in node.names]
        if node.rpar is not None:
            c.take(")")
    return ir.ImportFrom(start, c.end, c.chunk, module, names, len(node.relative))


def _type_alias(c: Cursor, node: cst.TypeAlias, start: int) -> ir.Stmt:
    c.take("type")
    name = c.word(node.name.value)
    c.bindings.names.add(name)
    _type_parameters(c, node.type_parameters)
    c.take("=")
    expression(c, node.value)
    return ir.TypeAlias(start, c.end, c.chunk, name)


def _type_parameters(c: Cursor, node: cst.TypeParameters | None) -> None:
    """Steps over `[T: bound = default, *Ts, **P]`: types are nothing to replay."""
    if node is None:
        return
    c.take("[")
    for param in node.params:
        if not isinstance(param.param, cst.TypeVar):
            c.take("*" if isinstance(param.param, cst.TypeVarTuple) else "**")
        c.word(param.param.name.value)
        if isinstance(param.param, cst.TypeVar) and param.param.bound is not None:
            c.take(":")
            expression(c, param.param.bound)
        if param.default is not None:
            c.take("=")
            if isinstance(param.star, str) and param.star:
                c.take(param.star)
            expression(c, param.default)
        comma(c, param.comma)
    c.take("]")


# -- compound statements ----------------------------------------------------------------------


def _if(c: Cursor, node: cst.If, start: int) -> ir.Stmt:
    c.take("elif" if c.text.startswith("elif", start) else "if")
    test = expression(c, node.test)
    body = _block(c, node.body)
    orelse: list[ir.Stmt]
    orelse = [_if(c, node.orelse, c.pos)] if isinstance(node.orelse, cst.If) else _otherwise(c, node.orelse)
    return ir.If(start, c.end, c.chunk, test, body, orelse)


def _otherwise(c: Cursor, node: cst.Else | None) -> list[ir.Stmt]:
    if node is None:
        return []
    c.take("else")
    return _block(c, node.body)


def _while(c: Cursor, node: cst.While, start: int) -> ir.Stmt:
    c.take("while")
    test = expression(c, node.test)
    body = _block(c, node.body)
    orelse = _otherwise(c, node.orelse)
    return ir.While(start, c.end, c.chunk, test, body, orelse)


def _async(c: Cursor, node: cst.For | cst.With | cst.FunctionDef) -> bool:
    if node.asynchronous is None:
        return False
    c.take("async")
    return True


def _for(c: Cursor, node: cst.For, start: int) -> ir.Stmt:
    is_async = _async(c, node)
    c.take("for")
    target = _target(c, node.target)
    c.take("in")
    iterable = expression(c, node.iter)
    body = _block(c, node.body)
    orelse = _otherwise(c, node.orelse)
    return ir.For(start, c.end, c.chunk, target, iterable, body, orelse, is_async)


def _try(c: Cursor, node: cst.Try | cst.TryStar, start: int) -> ir.Stmt:
    c.take("try")
    body = _block(c, node.body)
    handlers = [_handler(c, handler) for handler in node.handlers]
    orelse = _otherwise(c, node.orelse)
    finalbody = []
    if node.finalbody is not None:
        c.take("finally")
        finalbody = _block(c, node.finalbody.body)
    return ir.Try(start, c.end, c.chunk, body, handlers, orelse, finalbody)


def _handler(c: Cursor, node: cst.ExceptHandler | cst.ExceptStarHandler) -> ir.Handler:
    start = c.pos
    c.take("except")
    if isinstance(node, cst.ExceptStarHandler):
        c.take("*")
    kind = optional(c, node.type)
    name = None
    if node.name is not None:
        c.take("as")
        assert isinstance(node.name.name, cst.Name)
        name = c.word(node.name.name.value)
        c.bindings.names.add(name)
    body = _block(c, node.body)
    return ir.Handler(start, c.end, kind, name, body)


def _with(c: Cursor, node: cst.With, start: int) -> ir.Stmt:
    is_async = _async(c, node)
    c.take("with")
    parenthesized = isinstance(node.lpar, cst.LeftParen)
    if parenthesized:
        c.take("(")
    items = [_with_item(c, item) for item in node.items]
    if parenthesized:
        c.take(")")
    body = _block(c, node.body)
    return ir.With(start, c.end, c.chunk, items, body, is_async)


def _with_item(c: Cursor, node: cst.WithItem) -> ir.WithItem:
    start = c.pos
    context = expression(c, node.item)
    target = None
    if node.asname is not None:
        c.take("as")
        target = _target(c, node.asname.name)
    result = ir.WithItem(start, c.end, context, target)
    comma(c, node.comma)
    return result


def _match(c: Cursor, node: cst.Match, start: int) -> ir.Stmt:
    c.take("match")
    subject = expression(c, node.subject)
    c.take(":")
    cases = [_case(c, case) for case in node.cases]
    return ir.Match(start, c.end, c.chunk, subject, cases)


def _case(c: Cursor, node: cst.MatchCase) -> ir.MatchCase:
    start = c.pos
    c.take("case")
    matched = pattern(c, node.pattern)
    guard = None
    if node.guard is not None:
        c.take("if")
        guard = expression(c, node.guard)
    body = _block(c, node.body)
    return ir.MatchCase(start, c.end, matched, guard, body)


# -- definitions ------------------------------------------------------------------------------


def _decorators(c: Cursor, nodes: Sequence[cst.Decorator]) -> list[ir.Expr]:
    decorators = []
    for node in nodes:
        c.take("@")
        decorators.append(expression(c, node.decorator))
    return decorators


def _function(c: Cursor, node: cst.FunctionDef, start: int) -> ir.Stmt:
    decorators = _decorators(c, node.decorators)
    is_async = _async(c, node)
    c.take("def")
    name_start = c.pos
    name = c.word(node.name.value)
    c.bindings.names.add(name)
    _type_parameters(c, node.type_parameters)
    c.take("(")
    params = parameters(c, node.params)
    c.take(")")
    returns = None
    if node.returns is not None:
        c.take("->")
        returns = expression(c, node.returns.annotation)
    outer, c.bindings = c.bindings, Bindings(parameter_names(params))
    body = _block(c, node.body)
    scope = scope_of(c.bindings)
    c.bindings = outer
    doc = docstring(body)
    return ir.FunctionDef(
        start, c.end, c.chunk, name, name_start, params, body, decorators, returns, is_async, scope, doc
    )


def parameter_names(params: ir.Params) -> set[str]:
    """The names that parameters bind."""
    names = {param.name for group in (params.posonly, params.args, params.kwonly) for param in group}
    return names | {param.name for param in (params.vararg, params.kwarg) if param is not None}


def scope_of(bindings: Bindings) -> ir.Scope:
    """What the compiler would say about a function that binds these names."""
    outside = bindings.globals | bindings.nonlocals
    return ir.Scope(
        frozenset(bindings.names - outside),
        frozenset(bindings.globals),
        frozenset(bindings.nonlocals),
        bindings.is_generator,
    )


def docstring(body: list[ir.Stmt]) -> str | None:
    """The docstring that a body begins with, if any."""
    first = body[0]
    if isinstance(first, ir.ExprStmt) and isinstance(first.value, ir.Constant) and isinstance(first.value.value, str):
        return first.value.value
    return None


def _class(c: Cursor, node: cst.ClassDef, start: int) -> ir.Stmt:
    decorators = _decorators(c, node.decorators)
    c.take("class")
    name_start = c.pos
    name = c.word(node.name.value)
    c.bindings.names.add(name)
    _type_parameters(c, node.type_parameters)
    args = []
    if isinstance(node.lpar, cst.LeftParen):
        c.take("(")
        args = [argument(c, arg) for arg in (*node.bases, *node.keywords)]
        c.take(")")
    outer, c.bindings = c.bindings, Bindings()
    body = _block(c, node.body)
    c.bindings = outer
    return ir.ClassDef(start, c.end, c.chunk, name, name_start, args, body, decorators)


_augmented_operators = {
    cst.AddAssign: "+",
    cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*",
    cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//",
    cst.ModuloAssign: "%",
    cst.PowerAssign: "**",
    cst.MatrixMultiplyAssign: "@",
    cst.BitAndAssign: "&",
    cst.BitOrAssign: "|",
    cst.BitXorAssign: "^",
    cst.LeftShiftAssign: "<<",
    cst.RightShiftAssign: ">>",
}

_Lowering = Callable[[Cursor, Any, int], ir.Stmt]

_simple: dict[type[cst.CSTNode], _Lowering] = {
    cst.AnnAssign: _annotated,
    cst.Assert: _assert,
    cst.Assign: _assign,
    cst.AugAssign: _augmented,
    cst.Break: _bare("break", ir.Break),
    cst.Continue: _bare("continue", ir.Continue),
    cst.Del: _delete,
    cst.Expr: _expression_statement,
    cst.Global: _names("global"),
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.LazyImport: _import,
    cst.LazyImportFrom: _import_from,
    cst.Nonlocal: _names("nonlocal"),
    cst.Pass: _bare("pass", ir.Pass),
    cst.Raise: _raise,
    cst.Return: _return,
    cst.TypeAlias: _type_alias,
}

_compound: dict[type[cst.CSTNode], _Lowering] = {
    cst.ClassDef: _class,
    cst.For: _for,
    cst.FunctionDef: _function,
    cst.If: _if,
    cst.Match: _match,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.While: _while,
    cst.With: _with,
}
