"""The same program in other clothes: changes of a text that leave what it does as it is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

STRANGE = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)
"""what ties a statement to the function that it stands in"""
SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
"""what has names of its own"""


def dressed(text: str, change: Callable[[ast.Module], ast.Module | None]) -> str | None:
    """The text of a program after a change; None where that does not apply."""
    tree = change(ast.parse(text))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n" if tree is not None else None


# -- where statements stand ---------------------------------------------------------------------------


def in_a_function(tree: ast.Module) -> ast.Module | None:
    """All but the imports becomes the body of a function that is called."""
    if has(tree, ast.Global, ast.Nonlocal):
        return None
    head, rest = imports_first(tree)
    tree.body = [*head, function("program", rest), *ast.parse("program()").body]
    return tree


def in_a_generator(tree: ast.Module) -> ast.Module | None:
    """All but the imports becomes the body of a generator, which yields between statements."""
    if has(tree, *STRANGE):
        return None
    head, rest = imports_first(tree)
    steps = [s for one in rest for s in (one, *ast.parse("yield").body)]
    tree.body = [*head, function("steps", steps), *ast.parse("for _ in steps():\n    pass").body]
    return tree


def in_an_object(tree: ast.Module) -> ast.Module | None:
    """The program becomes a method, and its variables attributes of the object."""
    head, rest = imports_first(tree)
    own = [s for s in rest if not isinstance(s, (ast.FunctionDef, ast.ClassDef))]
    others = [s for s in rest if isinstance(s, (ast.FunctionDef, ast.ClassDef))]
    names = {n.id for s in own for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    used = {n.id for s in others for n in ast.walk(s) if isinstance(n, ast.Name)}
    if has(tree, *STRANGE, *SCOPES) or names & used or not own:
        return None

    class Attributes(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.Attribute(name("self"), node.id, node.ctx) if node.id in names else node

    run = function("run", [Attributes().visit(s) for s in own], "self")
    cls = ast.ClassDef("Program", [], [], [run], [])
    tree.body = [*head, *others, cls, *ast.parse("Program().run()").body]
    return tree


def each(source: str, before: str = "") -> Callable[[ast.Module], ast.Module]:
    """Every plain statement goes to where `HERE` stands in a text."""

    def put(s: ast.stmt) -> list[ast.stmt]:
        if not isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr)):
            return [s]
        around = ast.parse(source)
        for node in ast.walk(around):
            for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
                if isinstance(block, list) and block and ast.unparse(block[0]) == "HERE":
                    block[0] = s
        return around.body

    return lambda tree: after_imports(statement_by_statement(tree, put), before)


def in_closures(tree: ast.Module) -> ast.Module | None:
    """Every call that stands alone goes to a function of its own, which is called in its place."""
    if has(tree, *STRANGE):
        return None
    count = 0

    def put(s: ast.stmt) -> list[ast.stmt]:
        nonlocal count
        if not isinstance(s, ast.Expr) or not isinstance(s.value, ast.Call) or "super()" in ast.unparse(s):
            return [s]
        count += 1
        return [function(f"do_{count}", [s]), ast.Expr(call(name(f"do_{count}")))]

    return statement_by_statement(tree, put)


# -- how values go ------------------------------------------------------------------------------------


class PassedOn(ast.NodeTransformer):
    """What is assigned goes through a function that gives it back."""

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        if isinstance(node.value, (ast.Call, ast.BinOp, ast.Name, ast.Attribute, ast.Subscript)):
            node.value = call(name("passed_on"), node.value)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.body = [self.visit(s) if isinstance(s, ast.FunctionDef) else s for s in node.body]
        return node


class Starred(ast.NodeTransformer):
    """The arguments of the program's own functions are given as a list and a dict."""

    def __init__(self, functions: set[str]) -> None:
        self.functions = functions

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        plain = all(k.arg for k in node.keywords) and not any(isinstance(a, ast.Starred) for a in node.args)
        if plain and isinstance(node.func, ast.Name) and node.func.id in self.functions:
            keys: list[ast.expr | None] = [ast.Constant(k.arg) for k in node.keywords]
            node.args = [ast.Starred(ast.List(node.args, ast.Load()), ast.Load())]
            node.keywords = [ast.keyword(None, ast.Dict(keys, [k.value for k in node.keywords]))]
        return node


class Named(ast.NodeTransformer):
    """Methods are looked up by `getattr`, and attributes set by `setattr`."""

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        [*_, target] = node.targets
        if len(node.targets) > 1 or not isinstance(target, ast.Attribute):
            return node
        return ast.Expr(call(name("setattr"), target.value, ast.Constant(target.attr), node.value))

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and not node.func.attr.startswith("__"):
            node.func = call(name("getattr"), node.func.value, ast.Constant(node.func.attr))
        return node


def passed_on(tree: ast.Module) -> ast.Module:
    """What is assigned goes through a function that gives it back."""
    return after_imports(PassedOn().visit(tree), "def passed_on(*values):\n    first, *_ = values\n    return first")


def starred(tree: ast.Module) -> ast.Module | None:
    """The arguments of the program's own functions and classes are given as a list and a dict."""
    functions = {s.name for s in tree.body if isinstance(s, (ast.FunctionDef, ast.ClassDef))}
    return Starred(functions).visit(tree) if functions else None


def by_names(tree: ast.Module) -> ast.Module:
    """Methods are looked up by `getattr`, and attributes set by `setattr`."""
    return Named().visit(tree)


def decorated(tree: ast.Module) -> ast.Module | None:
    """Every function is wrapped by a decorator that calls it."""
    found = [s for s in ast.walk(tree) if isinstance(s, ast.FunctionDef) and not s.decorator_list]
    for s in found:
        if not s.name.startswith("__"):
            s.decorator_list.append(name("watched"))
    text = """
        import functools
        def watched(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                result = function(*args, **kwargs)
                return result
            return wrapper
    """
    return after_imports(tree, "\n".join(line[8:] for line in text.splitlines())) if found else None


# -- helpers --------------------------------------------------------------------------------------------


def has(tree: ast.AST, *kinds: type[ast.AST]) -> bool:
    """Whether there is a node of one of some kinds."""
    return any(isinstance(node, kinds) for node in ast.walk(tree))


def name(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


def call(f: ast.expr, *args: ast.expr) -> ast.Call:
    return ast.Call(f, list(args), [])


def function(text: str, body: list[ast.stmt], *params: str) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(p) for p in params], None, [], [], None, [])
    return ast.FunctionDef(text, arguments, body, [], None)


def imports_first(tree: ast.Module) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The imports, and the rest, of which what `__name__` guards is a part like any other."""
    head, rest = [], []
    for s in tree.body:
        guarded = isinstance(s, ast.If) and "__name__" in ast.unparse(s.test)
        rest += s.body if guarded and isinstance(s, ast.If) else []
        if not guarded:
            (head if isinstance(s, (ast.Import, ast.ImportFrom)) else rest).append(s)
    return head, rest


def after_imports(tree: ast.Module, text: str) -> ast.Module:
    """The program with a text behind its imports."""
    last = max((i for i, s in enumerate(tree.body, 1) if isinstance(s, (ast.Import, ast.ImportFrom))), default=0)
    tree.body[last:last] = ast.parse(text).body
    return tree


def statement_by_statement(tree: ast.Module, put: Callable[[ast.stmt], list[ast.stmt]]) -> ast.Module:
    """The program with other statements for each one, those of class bodies excepted."""

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in put(inside(s))]

    def inside(s: ast.stmt) -> ast.stmt:
        if isinstance(s, ast.ClassDef):
            s.body = [inside(one) for one in s.body]
            return s
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(s, field, None), list):
                setattr(s, field, block(getattr(s, field)))
        for handler in getattr(s, "handlers", ()):
            handler.body = block(handler.body)
        return s

    tree.body = block(tree.body)
    return tree


CLOTHES: dict[str, Callable[[ast.Module], ast.Module | None]] = {
    "in a function": in_a_function,
    "in a generator": in_a_generator,
    "in an object": in_an_object,
    "in closures": in_closures,
    "in loops of one turn": each("for _once in range(1):\n    HERE"),
    "in contexts": each("with contextlib.nullcontext():\n    HERE", "import contextlib"),
    "under a flag": each("if SETTINGS.on:\n    HERE\nelse:\n    raise ValueError",
                         "import types\nSETTINGS = types.SimpleNamespace(on=True)"),
    "before a clean-up": each("try:\n    HERE\nfinally:\n    pass"),
    "passed on": passed_on,
    "starred": starred,
    "by names": by_names,
    "decorated": decorated,
}  # fmt: skip
