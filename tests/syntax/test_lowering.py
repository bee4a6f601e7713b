"""The lowered form says what Python's ast says, at the same places."""

import ast
import sysconfig
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest
from gradguard.syntax import ir
from gradguard.syntax.chunks import Span, parse

from .drawing import check
from .oracle import FromLowered, Normal, dump, nodes, scopes, symbols, unplaced

TORCH = Path(find_spec("torch").origin).parent
STDLIB = Path(sysconfig.get_path("stdlib"))
ODD = (
    "ast dataclasses enum typing asyncio/base_events _pydecimal email/_header_value_parser inspect "
    "logging/__init__ subprocess tarfile turtle test/test_fstring test/test_unpack test/test_generators "
    "test/test_named_expressions test/test_string_literals test/test_positional_only_arg test/test_coroutines "
    "test/test_decorators test/test_with test/test_exception_group test/test_except_star test/test_scope "
    "test/test_unicode_identifiers test/test_float"
)
FILES = [
    TORCH / "nn" / "functional.py",
    *sorted((TORCH / "nn" / "modules").glob("*.py")),
    *sorted((TORCH / "optim").glob("*.py")),
    *(path for name in ODD.split() if (path := STDLIB / f"{name}.py").exists()),
]


def label(path):
    return "/".join(path.parts[-2:])


@pytest.fixture(params=FILES, ids=label, scope="module")
def text(request):
    return request.param.read_text("utf-8")


def python_ast(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def assert_same(text):
    source = parse(text)
    assert source.problems == []
    assert dump(FromLowered().module(source)) == dump(Normal(text).visit(python_ast(text)))


def test_files_lower_to_what_python_parses(text):
    assert_same(text)


def test_scopes_are_those_of_the_symbol_table(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = symbols(text)
    assert sorted(map(comparable, scopes(parse(text).body))) == sorted(map(comparable, expected))


def comparable(scope):
    name, *groups = scope
    return name, *(tuple(sorted(group)) for group in groups)


def test_values_in_f_strings_stand_where_their_text_is(text):
    for chunk, joined in (pair for statement in parse(text).body for pair in nodes(statement)):
        for value in joined.values if isinstance(joined, ir.JoinedStr) else []:
            piece = f"({chunk.text[value.start : value.end]}\n)"
            expected = Normal(piece).visit(ast.parse(piece, mode="eval").body)
            converter = FromLowered()
            converter.chunk = chunk
            assert dump(unplaced(converter.expr(value))) == dump(unplaced(expected))


@pytest.mark.parametrize(
    "text",
    [
        "match x:\n    case [1, -2.5, *rest, (a | b)] if a: pass\n    case {'k': v, **o}: pass\n    case _: pass\n",
        "match a, *b:\n  case C(1, x=[]) | m.D() as y: pass\n  case (None | True): pass\n"
        "  case (): pass\n  case 1 + 2j: pass\n",
        "match a:\n    case (1): pass\n    case {1: ((None)) as x, -0-0j: (a.b)}: pass\n"
        "    case C(('a' 'b'), x=(-1)) | (2): pass\n",
        "match = case = type = 1\nmatch[case] = type\nmatch(case)\n",
        "x = (yield)\ny = (yield a, b)\nz = yield from (c)\nreturn_ = lambda *a, b=(1), **k: (yield)\n",
        "async def f():\n  async with a as (b), (c): await d; e\n"
        "  async for x in y: pass\n  else: pass\n  return [i async for i in (z)]\n",
        "with (a as b, c as d.e,): pass\nwith (a): pass\nwith (a, b) as c, d: pass\nwith (yield): pass\n",
        "del (a), b, (c, d)\ndel (e, f)\ndel g\n",
        "from . import a\nfrom ... b .c import (d as e, f,)\nimport a . b as c, d.e\nfrom .... import *\n",
        "class A(*bases, metaclass=M, **k): pass\nclass B(): x = 1; y: int\n@ d\n# why\n@ e.f(1)\nclass C: 'doc'\n",
        "def f(a, b: int = 1, /, c=(2), *args: str, d, e: (int) = 3, **kwargs: dict[str, int]) -> (None): ...\n",
        "def f(*, a): return\ndef g(a, /): return (a)\ndef h(*a, b): pass; pass\n",
        "x[a], x[a,], x[a:b, ::2, None], x[(a, b)], x[*a, 1], x[::], x[a:=1]\n",
        "f(*a, **b, c=(1), d=lambda: 0,)\nf(x for x in y)\nf((x for x in y), 1)\n",
        "a = b, *c = *d, e = ()\n(a) = (b)\n(x).y += (1,)\nx.y: (int) = 1, 2\n",
        "not a not in b is not c\na if b else (c if d else e)\n-a ** -b\n(a and b) and c or d and (e or f)\n",
        "try:\n  raise A from (B)\nexcept (A, B) as e: pass\nexcept C: pass\nexcept: pass\nelse: pass\nfinally: pass\n",
        "if a: b\nelif c:\n  d\nelse:\n  if e: f\nwhile (a): break\nelse: continue\n",
        "b'\\x41\\101\\n' b'c', 'a' \"b\" r'\\n' '\\N{BULLET}\\u00e9\\U0001F600\\\n', u'x', Rb'\\''\n",
        "1_000, 0xFf, 0o17, 0b1, 1.5e-3, 1_0.0, .5, 2j, 1e3J, 00, ...\n",
        "f'a{b}c' 'd' f'{e!r:>{w}.{p}}' rf'\\{x}' f'{{}}' f'''{\n x }'''\n",
        "x = 1; y = 2 ;z = 3;\nif x: y; z;\n",
        "x = \\\n  1\nif a and \\\n   b: c\n",
        "def f():\n\tif a:\n\t\tb # c\n  # odd\n\telse:\n\t        c\n",
        "\x0cx = 1\n\x0c\nclass A:\n\x0c\n  def f(self): pass\n\x0c  y = 1\n",
        "# comment\n\n  # another\nx = 1\n# last",
        "ℌ = ª = ﬁ.ﬁ(ﬁ=1)\nclass ﬁ: pass\ndef ﬁ(ﬁ): global ª\n",
        "x = '日本' + é; y = '😀' # 😀\nf('😀', y)\n",
        "global a, b\nassert (a), (b)\nassert a\n",
        "[[x for x in y if a if b for z in (x)], {a: b for a, b in c}, {a for a in b}, {**a, 'b': 1, **c}, {1, *d}]\n",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_odd_syntax(text, newline):
    assert_same(text.replace("\n", newline))


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "x", "\\\n\nx", "   \n\t\n"])
def test_small_files(text):
    source = parse(text)
    assert source.problems == []
    assert dump(FromLowered().module(source)) == dump(Normal(text).visit(ast.parse(text)))


def test_a_byte_order_mark_is_a_column_of_the_first_line():
    source = parse("\ufeffx = 1\ny = 2\n")
    assert [statement.chunk.span(statement) for statement in source.body] == [Span(0, 1, 0, 6), Span(1, 0, 1, 5)]
    assert parse("\ufeff").problems == []


def test_parentheses_belong_to_nobody():
    check("""
        x = ((a + b)) * (c, (d))
                         ^^^^^^ Tuple
              ^^^^^ BinOp
            ^^^^^^^^^^^^^^^^^^^^ BinOp
        y = ( )
            ^^^ Tuple
        f(i for i in (j))
          ^^^^^^^^^^^^^^ Comp
    """)


def test_places_of_parts():
    check("""
        def f(a, *b: int, c=(1), **d): pass
                                   ^ Param
                          ^^^^^ Param
                  ^^^^^^ Param
              ^ Param
        f(*a, b=(c), **d)
                     ^^^ Arg
              ^^^^^ Arg
          ^^ Arg
        with (a as b, c): pass
                      ^ WithItem
              ^^^^^^ WithItem
        x[a:(b), :, ::2]
                    ^^^ Slice
                 ^ Slice
          ^^^^^ Slice
    """)


def test_attributes_and_definitions_know_where_their_name_is():
    source = parse("@d\nasync  def  f(): pass\nclass  C: pass\n(a) . \\\n b\n")
    function, definition, expression = source.body
    assert function.chunk.text[function.name_start :].startswith("f(")
    assert definition.chunk.text[definition.name_start :].startswith("C:")
    assert expression.chunk.text[expression.value.attr_start : expression.value.end] == "b"


@pytest.mark.parametrize(
    ("text", "pieces", "values", "plain"),
    [
        ("f'a{b}c'", ["a", "c"], ["b"], True),
        ("'x' f'{b}' 'y\\n'", ["x", "y\n"], ["b"], True),
        ("f'{{{b}}}\\x41'", ["{", "}A"], ["b"], True),
        ("rf'\\x{b}'", ["\\x", ""], ["b"], True),
        ("f'{b!r}'", ["", ""], ["b"], False),
        ("f'{ b = }#'", [" b = ", "#"], ["b"], False),
        ("f'{b:#>{w}.{p}}'", ["", "", "", ""], ["b", "w", "p"], False),
        ("f'{x[\"#\"]}' # {c}", ["", ""], ['x["#"]'], True),
    ],
)
def test_f_strings(text, pieces, values, plain):
    (statement,) = parse(text).body
    joined = statement.value
    assert isinstance(joined, ir.JoinedStr)
    assert joined.text == pieces
    assert [text[value.start : value.end] for value in joined.values] == values
    assert joined.plain is plain


def test_newer_syntax_than_the_running_python():
    source = parse(
        "type A[T: int = str, *Ts = *tuple[int], **P] = list[T]\n"
        "def f[T](x: T) -> T: return x\n"
        "class C[T](Base): pass\n"
        "f'{x[\"a\"]}'\n"
        "t'{x}'\n"
        "try: pass\nexcept A, B: pass\n"
    )
    assert source.problems == []
    kinds = [type(statement).__name__ for statement in source.body]
    assert kinds == ["TypeAlias", "FunctionDef", "ClassDef", "ExprStmt", "ExprStmt", "Try"]


def test_generators_know_that_they_are():
    text = "def f():\n  yield\ndef g():\n  lambda: (yield)\ndef h():\n  def i(): yield\nasync def j():\n  x = yield 1\n"
    assert [statement.scope.is_generator for statement in parse(text).body] == [True, False, False, True]


def test_docstrings():
    text = "def f():\n  'a' 'b'\ndef g(): f'a'\ndef h(): b'a'\ndef i(): pass\n"
    assert [statement.doc for statement in parse(text).body] == ["ab", None, None, None]
