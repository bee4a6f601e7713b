"""Whatever the layout, an edited program means what the fix says, and nothing else in it moves."""

from __future__ import annotations

import ast

from gradguard.analyses.domain.report import Failure, Saved, Site
from gradguard.fixes import Fix, apply, clone, functional, nograd, outplace
from gradguard.fixes.place import Context, walk
from gradguard.syntax import ir
from gradguard.syntax.chunks import parse
from hypothesis import given, settings
from hypothesis import strategies as st

TARGETS = ["y", "self.h", "温度", "xs[i]", "d['a b'][0]", "self.a.b[k, 1:]", "xs[-1]", "( y )"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "@"]
ATOMS = st.sampled_from(
    ["a", "b.c", "f(x, y)", "1", "2.5", "z[0]", "'é'", "(a)", "self.w.grad", "torch.exp(q)", "[a, b]"]
)


def expressions() -> st.SearchStrategy[str]:
    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        binary = st.builds(
            "{} {} {}".format, inner, st.sampled_from([*OPERATORS, "<", "and", "if c else", "is not"]), inner
        )
        group = st.builds("({})".format, inner)
        lines = st.builds("(\n        {}  # 説明\n)".format, inner)
        unary = st.builds("{}{}".format, st.sampled_from(["-", "~", "not "]), inner)
        return st.one_of(binary, group, lines, unary)

    return st.recursive(ATOMS, grow, max_leaves=4).filter(is_expression)


def is_expression(text: str) -> bool:
    try:
        ast.parse(f"({text})", mode="eval")
        ast.parse(f"y += {text}")
    except SyntaxError:
        return False
    return True


LAYOUTS = st.sampled_from(
    [
        "{}\n",
        "a = 1\n{}  # 🌡️ done\nb = 2\n",
        "a = 1; {}; b = 2\n",
        "if c: {}\nelse: pass\n",
        "if c: a = 1; {}; b = 2  # three\n",
        "class C:\n\n  def f(self):\n    '''doc'''\n    {}\n    return self\n",
        "def f():\n\tfor i in xs:\n\t\t{};\n\t\tb = 2\n",
        "try:\n    pass\nexcept E:\n    {}\n\n\nfinally:\n    pass\n",
        "with a as b, c as d: {}",
        "x = 1\r\nif x:\r\n    {}\r\n    b\r\n",
    ]
)


def lowered(text: str, kind: type[ir.Stmt]) -> tuple[Site, Context]:
    source = parse(text, "main.py")
    assert not source.problems
    site = next(
        Site(node.chunk, node)
        for top in source.body
        for node in walk(top)
        if isinstance(node, kind) and is_marked(node)
    )
    return site, Context({"main.py": source})


def is_marked(node: ir.Stmt) -> bool:
    text = node.chunk.text[node.start : node.end]
    return text not in {"a = 1", "b = 2", "x = 1"}


def failure(site: Site, saved: Saved | None = None) -> Failure:
    return Failure("stale-saved", "inplace", site, "y", saved=saved, facts={"aliases": ()})


def only_near(text: str, fix: Fix, site: Site) -> bool:
    start = site.chunk.offset + site.node.start
    end = site.chunk.offset + site.node.end
    return all(start <= edit.start and edit.end <= end for edit in fix.edits)


class OutOfPlace(ast.NodeTransformer):
    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        return ast.Assign([node.target], ast.BinOp(load, node.op, node.value))


def dumped(tree: ast.AST) -> str:
    return ast.dump(ast.parse(ast.unparse(ast.fix_missing_locations(tree))))


@settings(max_examples=200, deadline=None)
@given(LAYOUTS, st.sampled_from(TARGETS), st.sampled_from(OPERATORS), st.sampled_from([" ", ""]), expressions())
def test_an_augmented_assignment_becomes_the_assignment_of_its_operator(
    layout: str, target: str, op: str, space: str, value: str
) -> None:
    text = layout.format(f"{target}{space}{op}={space}{value}")
    site, context = lowered(text, ir.AugAssign)
    (fix,) = outplace.propose(failure(site), context)
    assert dumped(ast.parse(apply(text, fix.edits))) == dumped(OutOfPlace().visit(ast.parse(text)))
    assert only_near(text, fix, site)


@settings(max_examples=150, deadline=None)
@given(LAYOUTS, expressions())
def test_a_copy_is_made_of_the_whole_operand(layout: str, value: str) -> None:
    text = layout.format(f"keep = op({value})")
    site, context = lowered(text, ir.Assign)
    call = site.node.value  # type: ignore[attr-defined]
    operand = call.args[0].value
    told = site.chunk.text[operand.start : operand.end]
    saved = Saved(Site(site.chunk, call), "op", "input", told, 0)
    fixes = list(clone.save(failure(site, saved), context))
    if isinstance(operand, ir.Constant | ir.List):
        return
    (fix,) = fixes
    calls = [n for n in ast.walk(ast.parse(apply(text, fix.edits))) if isinstance(n, ast.Call)]
    (cloned,) = [n for n in calls if isinstance(n.func, ast.Name) and n.func.id == "op"]
    copy = cloned.args[0]
    assert isinstance(copy, ast.Call)
    assert isinstance(copy.func, ast.Attribute)
    assert copy.func.attr == "clone"
    assert ast.dump(copy.func.value) == ast.dump(ast.parse(f"({value})", mode="eval").body)


@settings(max_examples=150, deadline=None)
@given(LAYOUTS, expressions())
def test_a_copy_before_the_change_is_one_more_statement(layout: str, value: str) -> None:
    text = layout.format(f"self.y[0] = {value}")
    site, context = lowered(text, ir.Assign)
    (fix,) = clone.change(failure(site), context)
    new = apply(text, fix.edits)
    assert dumped(without(ast.parse(new), "self.y = self.y.clone()")) == dumped(ast.parse(text))


class Without(ast.NodeTransformer):
    def __init__(self, statement: str) -> None:
        self.gone = ast.dump(ast.parse(statement).body[0])
        self.count = 0

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | None:
        if ast.dump(node) != self.gone:
            return node
        self.count += 1
        return None


def without(tree: ast.AST, statement: str) -> ast.AST:
    transformer = Without(statement)
    tree = transformer.visit(tree)
    assert transformer.count == 1
    return tree


class Unwrapped(ast.NodeTransformer):
    def visit_With(self, node: ast.With) -> object:
        self.generic_visit(node)
        return node.body if "no_grad" in ast.dump(node.items[0]) else node


@settings(max_examples=150, deadline=None)
@given(LAYOUTS, st.sampled_from(TARGETS), expressions())
def test_a_block_holds_the_statement_alone(layout: str, target: str, value: str) -> None:
    text = "import torch\n" + layout.format(f"{target} -= {value}")
    site, context = lowered(text, ir.AugAssign)
    for fix in nograd.propose(failure(site), context):
        tree = ast.parse(apply(text, fix.edits))
        blocks = [n for n in ast.walk(tree) if isinstance(n, ast.With) and "no_grad" in ast.dump(n.items[0])]
        assert len(blocks) == 1
        assert len(blocks[0].body) == 1
        assert dumped(Unwrapped().visit(tree)) == dumped(ast.parse(text))


@given(
    LAYOUTS,
    st.sampled_from(["self.y < 0", "~(x == self.y)", "(self.y < 1) & (2 < self.y)"]),
    st.sampled_from(["0", "-1.5"]),
)
def test_a_mask_is_filled(layout: str, mask: str, value: str) -> None:
    text = layout.format(f"self.y[{mask}] = {value}")
    site, context = lowered(text, ir.Assign)
    (fix,) = functional.propose(failure(site), context)
    assert f"self.y = self.y.masked_fill({mask}, {value})" in apply(text, fix.edits)
    assert only_near(text, fix, site)
