"""Python's own `ast` and `symtable` as oracles: the lowered form is turned back into an ast, to be compared."""

import ast
import symtable
from dataclasses import fields, is_dataclass

from gradguard.syntax import ir

UNARY = {"-": ast.USub, "+": ast.UAdd, "~": ast.Invert, "not": ast.Not}
BINARY = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "**": ast.Pow,
    "@": ast.MatMult,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
    "<<": ast.LShift,
    ">>": ast.RShift,
}
BOOLEAN = {"and": ast.And, "or": ast.Or}
COMPARISON = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
    "in": ast.In,
    "not in": ast.NotIn,
    "is": ast.Is,
    "is not": ast.IsNot,
}
COMPREHENSION = {"list": ast.ListComp, "set": ast.SetComp, "generator": ast.GeneratorExp}
# Their parentheses belong to the span in ast and to nobody here; ast's f-strings have no spans to rely on.
UNPLACED = (ast.Tuple, ast.GeneratorExp, ast.arg, ast.MatchSequence)
POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def is_unplaced(node):
    return isinstance(node, UNPLACED)


def unplaced(node):
    """Takes the positions out of a node and all that is in it."""
    for inner in ast.walk(node):
        if "lineno" in inner._attributes:
            for name in POSITION:
                setattr(inner, name, 0)
    return node


class FromLowered:
    """Turns lowered statements into an ast with positions (columns in code points)."""

    def module(self, source):
        return ast.Module([self.stmt(s) for s in source.body], [])

    def at(self, node, result):
        if is_unplaced(result):
            span = (0, 0, 0, 0)
        else:
            s = self.chunk.span(node)
            span = (s.start_line + 1, s.start_col, s.end_line + 1, s.end_col)
        for name, value in zip(POSITION, span, strict=True):
            setattr(result, name, value)
        if "type_params" in result._fields:
            result.type_params = []
        return result

    def optional(self, node):
        return None if node is None else self.expr(node)

    def exprs(self, nodes):
        return [self.expr(node) for node in nodes]

    def stmts(self, nodes):
        return [self.stmt(node) for node in nodes]

    def stmt(self, node):
        outer = getattr(self, "chunk", None)
        self.chunk = node.chunk
        result = self.at(node, getattr(self, type(node).__name__)(node))
        self.chunk = outer
        return result

    def expr(self, node):
        return self.at(node, getattr(self, type(node).__name__)(node))

    # -- expressions

    def Name(self, n):
        return ast.Name(n.id)

    def Constant(self, n):
        return ast.Constant(n.value)

    def JoinedStr(self, n):
        text = ast.Constant(repr(n.text if n.plain else None))
        return ast.JoinedStr([text, *map(unplaced, self.exprs(n.values))])

    def Tuple(self, n):
        return ast.Tuple(self.exprs(n.elts))

    def List(self, n):
        return ast.List(self.exprs(n.elts))

    def Set(self, n):
        return ast.Set(self.exprs(n.elts))

    def Dict(self, n):
        return ast.Dict([self.optional(key) for key in n.keys], self.exprs(n.values))

    def Starred(self, n):
        return ast.Starred(self.expr(n.value))

    def Attribute(self, n):
        assert self.chunk.text[n.attr_start : n.end].isidentifier()
        return ast.Attribute(self.expr(n.value), n.attr)

    def Subscript(self, n):
        return ast.Subscript(self.expr(n.value), self.expr(n.slice))

    def Slice(self, n):
        return ast.Slice(self.optional(n.lower), self.optional(n.upper), self.optional(n.step))

    def Call(self, n):
        return ast.Call(self.expr(n.func), *self.arguments(n.args))

    def arguments(self, args):
        positional = []
        keywords = []
        for arg in args:
            value = self.expr(arg.value)
            if arg.star == "*":
                positional.append(self.at(arg, ast.Starred(value)))
            elif arg.star or arg.name:
                keywords.append(self.at(arg, ast.keyword(arg.name, value)))
            else:
                assert (arg.start, arg.end) <= (arg.value.start, arg.value.end)
                positional.append(value)
        return positional, keywords

    def UnaryOp(self, n):
        return ast.UnaryOp(UNARY[n.op](), self.expr(n.operand))

    def BinOp(self, n):
        return ast.BinOp(self.expr(n.left), BINARY[n.op](), self.expr(n.right))

    def BoolOp(self, n):
        return ast.BoolOp(BOOLEAN[n.op](), self.exprs(n.values))

    def Compare(self, n):
        return ast.Compare(self.expr(n.left), [COMPARISON[op]() for op in n.ops], self.exprs(n.comparators))

    def IfExp(self, n):
        return ast.IfExp(self.expr(n.test), self.expr(n.body), self.expr(n.orelse))

    def NamedExpr(self, n):
        return ast.NamedExpr(self.expr(n.target), self.expr(n.value))

    def Comp(self, n):
        generators = [
            ast.comprehension(self.expr(g.target), self.expr(g.iter), self.exprs(g.ifs), int(g.is_async))
            for g in n.generators
        ]
        if n.kind == "dict":
            return ast.DictComp(self.expr(n.elt), self.expr(n.value), generators)
        return COMPREHENSION[n.kind](self.expr(n.elt), generators)

    def Lambda(self, n):
        return ast.Lambda(self.params(n.params), self.expr(n.body))

    def Await(self, n):
        return ast.Await(self.expr(n.value))

    def Yield(self, n):
        return ast.YieldFrom(self.expr(n.value)) if n.is_from else ast.Yield(self.optional(n.value))

    def params(self, p):
        def arg(param):
            return param and self.at(param, ast.arg(param.name, self.optional(param.annotation)))

        defaults = [self.expr(param.default) for param in p.posonly + p.args if param.default]
        return ast.arguments(
            [arg(param) for param in p.posonly],
            [arg(param) for param in p.args],
            arg(p.vararg),
            [arg(param) for param in p.kwonly],
            [self.optional(param.default) for param in p.kwonly],
            arg(p.kwarg),
            defaults,
        )

    # -- statements

    def ExprStmt(self, n):
        return ast.Expr(self.expr(n.value))

    def Assign(self, n):
        return ast.Assign(self.exprs(n.targets), self.expr(n.value))

    def AugAssign(self, n):
        return ast.AugAssign(self.expr(n.target), BINARY[n.op](), self.expr(n.value))

    def AnnAssign(self, n):
        return ast.AnnAssign(self.expr(n.target), self.expr(n.annotation), self.optional(n.value), 0)

    def Return(self, n):
        return ast.Return(self.optional(n.value))

    def Raise(self, n):
        return ast.Raise(self.optional(n.exc), self.optional(n.cause))

    def Assert(self, n):
        return ast.Assert(self.expr(n.test), self.optional(n.msg))

    def Delete(self, n):
        return ast.Delete(self.exprs(n.targets))

    def Pass(self, n):
        return ast.Pass()

    def Break(self, n):
        return ast.Break()

    def Continue(self, n):
        return ast.Continue()

    def aliases(self, names):
        return [self.at(alias, ast.alias(alias.name, alias.asname)) for alias in names]

    def Import(self, n):
        return ast.Import(self.aliases(n.names))

    def ImportFrom(self, n):
        return ast.ImportFrom(n.module, self.aliases(n.names), n.level)

    def Global(self, n):
        return ast.Global(n.names)

    def Nonlocal(self, n):
        return ast.Nonlocal(n.names)

    def If(self, n):
        return ast.If(self.expr(n.test), self.stmts(n.body), self.stmts(n.orelse))

    def While(self, n):
        return ast.While(self.expr(n.test), self.stmts(n.body), self.stmts(n.orelse))

    def For(self, n):
        kind = ast.AsyncFor if n.is_async else ast.For
        return kind(self.expr(n.target), self.expr(n.iter), self.stmts(n.body), self.stmts(n.orelse))

    def Try(self, n):
        handlers = [
            self.at(h, ast.ExceptHandler(self.optional(h.type), h.name, self.stmts(h.body))) for h in n.handlers
        ]
        return ast.Try(self.stmts(n.body), handlers, self.stmts(n.orelse), self.stmts(n.finalbody))

    def With(self, n):
        kind = ast.AsyncWith if n.is_async else ast.With
        items = [ast.withitem(self.expr(item.context), self.optional(item.target)) for item in n.items]
        return kind(items, self.stmts(n.body))

    def Match(self, n):
        cases = [ast.match_case(self.expr(c.pattern), self.optional(c.guard), self.stmts(c.body)) for c in n.cases]
        return ast.Match(self.expr(n.subject), cases)

    def MatchValue(self, n):
        value = n.value
        if isinstance(value, ir.Constant) and (value.value is None or isinstance(value.value, bool)):
            return ast.MatchSingleton(value.value)
        return ast.MatchValue(self.expr(value))

    def MatchAs(self, n):
        return ast.MatchAs(self.optional(n.pattern), n.name)

    def MatchOr(self, n):
        return ast.MatchOr(self.exprs(n.patterns))

    def MatchStar(self, n):
        return ast.MatchStar(n.name)

    def MatchSequence(self, n):
        return ast.MatchSequence(self.exprs(n.patterns))

    def MatchMapping(self, n):
        return ast.MatchMapping(self.exprs(n.keys), self.exprs(n.patterns), n.rest)

    def MatchClass(self, n):
        return ast.MatchClass(self.expr(n.cls), self.exprs(n.patterns), n.kwd_attrs, self.exprs(n.kwd_patterns))

    def FunctionDef(self, n):
        kind = ast.AsyncFunctionDef if n.is_async else ast.FunctionDef
        assert self.chunk.text[n.name_start :].startswith(n.name) or not self.chunk.text.isascii()
        result = kind(
            n.name, self.params(n.params), self.stmts(n.body), self.exprs(n.decorators), self.optional(n.returns)
        )
        assert n.doc == ast.get_docstring(result, clean=False)
        return result

    def ClassDef(self, n):
        bases, keywords = self.arguments(n.args)
        return ast.ClassDef(n.name, bases, keywords, self.stmts(n.body), self.exprs(n.decorators))

    def TypeAlias(self, n):
        return ast.TypeAlias(ast.Name(n.name))


class Normal(ast.NodeTransformer):
    """Takes out of Python's ast what the lowered form does not tell, and counts columns in code points."""

    def __init__(self, text):
        self.lines = ast._splitlines_no_ff(text)

    def visit(self, node):
        node = super().visit(node)
        if "lineno" in node._attributes and node.lineno:
            node.col_offset = self.column(node.lineno, node.col_offset)
            node.end_col_offset = self.column(node.end_lineno, node.end_col_offset)
        if "type_params" in node._fields:
            node.type_params = []
        if is_unplaced(node):
            for name in POSITION:
                setattr(node, name, 0)
        for name in ("ctx", "type_comment", "kind", "simple"):
            if name in node._fields:
                setattr(node, name, 0 if name == "simple" else None)
        if getattr(node, "decorator_list", None):
            self.include_decorators(node)
        return node

    def column(self, line, column):
        text = self.lines[line - 1]
        return column if text.isascii() else len(text.encode()[:column].decode())

    def include_decorators(self, node):
        first = node.decorator_list[0]
        line, column = first.lineno, first.col_offset
        while "@" not in self.lines[line - 1][:column]:
            line -= 1
            column = len(self.lines[line - 1])
        node.lineno, node.col_offset = line, self.lines[line - 1].rindex("@", 0, column)

    def visit_TryStar(self, node):
        node = self.generic_visit(node)
        return ast.copy_location(ast.Try(node.body, node.handlers, node.orelse, node.finalbody), node)

    def visit_JoinedStr(self, node):
        values = []
        text = [""]
        plain = True
        for part in node.values:
            if isinstance(part, ast.Constant):
                text[-1] += part.value
                continue
            plain = plain and part.conversion == -1 and part.format_spec is None
            values += self.embedded(part)
            text.append("")
        head = ast.Constant(repr(text if plain else None))
        node.values = [head, *(unplaced(self.visit(value)) for value in values)]
        return node

    def embedded(self, part):
        yield part.value
        if part.format_spec is not None:
            for inner in part.format_spec.values:
                if isinstance(inner, ast.FormattedValue):
                    yield from self.embedded(inner)


def dump(tree):
    for node in ast.walk(tree):
        for name in node._fields:
            if name in ("ctx", "type_comment", "kind"):
                setattr(node, name, None)
    return ast.dump(tree, include_attributes=True, indent=1)


def nodes(node, chunk=None):
    """All lowered nodes in a node, itself first, each after the chunk whose text it points into."""
    if isinstance(node, ir.Stmt):
        chunk = node.chunk
    if isinstance(node, ir.Node):
        yield chunk, node
    for f in fields(node):
        value = getattr(node, f.name)
        for item in value if isinstance(value, list) else [value]:
            if is_dataclass(item) and f.name not in ("chunk", "scope"):
                yield from nodes(item, chunk)


def functions(statements):
    """All function definitions."""
    return [node for stmt in statements for _, node in nodes(stmt) if isinstance(node, ir.FunctionDef)]


def symbols(text):
    """What the compiler says of each `def`: (name, locals, globals, nonlocals)."""

    def walk(table):
        for child in table.get_children():
            if child.get_type() == "function" and child.get_name() not in (
                "lambda",
                "listcomp",
                "setcomp",
                "dictcomp",
                "genexpr",
            ):
                yield child
            yield from walk(child)

    result = []
    for table in walk(symtable.symtable(text, "<text>", "exec")):
        own = [symbol for symbol in table.get_symbols() if not symbol.get_name().startswith("_")]
        result.append(
            (
                table.get_name(),
                {s.get_name() for s in own if s.is_local() and not s.is_declared_global()},
                {s.get_name() for s in own if s.is_declared_global()},
                {s.get_name() for s in own if s.is_nonlocal()},
            )
        )
    return result


def scopes(statements):
    """The same as `symbols` from the lowered form; names with an underscore are left out for their mangling."""

    def public(names):
        return {name for name in names if not name.startswith("_")}

    return [
        (f.name, public(f.scope.locals), public(f.scope.globals), public(f.scope.nonlocals))
        for f in functions(statements)
    ]
