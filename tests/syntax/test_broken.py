"""Broken text: what is told, what is kept."""

import ast
import random
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from gradguard.syntax.chunks import Span, parse
from gradguard.syntax.depth import TooDeepError, check_depth

from .drawing import check_problems, unparse
from .oracle import FromLowered, dump


def test_a_half_typed_statement_is_left_out():
    source = check_problems("""
        def f(x):
            y = x.
                  ^ invalid syntax
            return x

        g()
    """)
    assert unparse(source) == "def f(x):\n    pass\n    return x\ng()"


def test_several_broken_statements_in_one_function():
    source = check_problems("""
        def f(x):
            if x:
                y = (1,
                z = 1
                ^ invalid syntax. Maybe you meant '==' or ':=' instead of '='?
            w = [
            for a in x
                b
            return w + 1
    """)
    assert unparse(source) == "def f(x):\n    if x:\n        pass\n        z = 1\n    pass\n    pass\n    return w + 1"


def test_after_too_many_faults_only_what_is_before_them_stays():
    source = parse("def f(x):\n    y = 1\n" + "    x.\n    z = 2\n" * 9)
    assert len(source.problems) == 1
    assert unparse(source) == "def f(x):\n    y = 1\n    pass"


def test_a_block_that_is_not_written_yet():
    source = check_problems("""
        def f(x):
            for y in x:
        ^ expected an indented block after 'for' statement
            return x
    """)
    assert unparse(source) == "def f(x):\n    pass\n    return x"


def test_a_broken_header_goes_with_its_block():
    source = check_problems("""
        def f(x):
            while x
                   ^ expected ':'
                x = 1
            else:
                x = 2
            return x
    """)
    assert unparse(source) == "def f(x):\n    pass\n    return x"


def test_a_broken_clause_leaves_the_statement():
    source = check_problems("""
        def f(x):
            if x:
                y
            elif x =:
                   ^ invalid syntax
                z
            return x
    """)
    assert unparse(source) == "def f(x):\n    if x:\n        y\n    return x"


def test_other_members_of_a_class_live():
    source = check_problems("""
        class A(B):
            def f(self):
                self.x = (
                         ^ '(' was never closed

            def g(self):
                return self
    """)
    assert unparse(source) == "class A(B):\n\n    def f(self):\n        pass\n\n    def g(self):\n        return self"


@pytest.mark.parametrize(
    "line", ["f(x", "x = [1, {2", "x = 'abc", "f(x))", "x = )", "def f(:", "class A(B", "if x", "x = = 1"]
)
def test_statements_after_a_broken_one_live(line):
    source = parse(f"a = 1\n{line}\nb = 2\nimport c\ndef d(): pass\n")
    assert len(source.problems) == 1
    assert source.problems[0].line == 1
    kept = unparse(source).splitlines()
    assert kept[0] == "a = 1"
    assert kept[-4:] == ["import c", "", "def d():", "    pass"]


def test_a_statement_that_is_being_changed_stays_as_it_was():
    before = parse("import a\ndef f(x):\n    y = x.exp()\n    return y\n")
    good = list(before.body)[1]
    after = parse("import a\n\n\ndef f(x):\n    y = x.exp(\n    return y\n", previous=before)
    assert list(after.body)[1] is good
    assert [problem.line for problem in after.problems] == [4]
    assign, result = good.body
    assert good.chunk.span(assign) == Span(4, 4, 4, 14)
    assert good.chunk.span(assign.value.func) == Span(4, 8, 4, 13)
    assert good.chunk.span(result) == Span(5, 4, 5, 12)
    assert good.chunk.text[assign.start : assign.end] == "y = x.exp()"


def test_a_statement_stays_through_many_keystrokes():
    good = "x = 1\ny = f(x)\nz = 2\n"
    source = parse(good)
    _, kept, _ = source.body
    for typed in ("y = f(x", "y = f(x.", "y = f(x..", "y = f(", "y = f(x. + "):
        source = parse(good.replace("y = f(x)", typed), previous=source)
        assert list(source.body)[1] is kept
        assert len(source.problems) == 1
    source = parse(good.replace("f(x)", "g(x)"), previous=source)
    assert source.problems == []
    assert unparse(source) == "x = 1\ny = g(x)\nz = 2"


def test_a_new_half_typed_statement_does_not_hold_up_the_rest_of_its_function():
    before = parse("def f(x):\n    y = 1\n    return y\n")
    after = parse("def f(x):\n    x.\n    y = 1\n    return y\n", previous=before)
    assert unparse(after) == "def f(x):\n    pass\n    y = 1\n    return y"
    (function,) = after.body
    assert after.chunks[0].span(function.body[-1]) == Span(3, 4, 3, 12)


def test_deleted_statements_do_not_stay():
    before = parse("def f(x):\n    y = 1\n    z = 2\n    w = 3\n    return y\n")
    broken = parse("def f(x):\n    y = 1 +\n    z = 2\n    w = 3\n    return y\n", previous=before)
    assert unparse(broken) == "def f(x):\n    y = 1\n    z = 2\n    w = 3\n    return y"
    after = parse("def f(x):\n    y = 1 +\n    return y\n", previous=broken)
    assert unparse(after) == "def f(x):\n    pass\n    return y"


def test_a_problem_moves_with_its_chunk():
    before = parse("def f():\n    x = (\n")
    after = parse("\n\na = 1\ndef f():\n    x = (\n", previous=before)
    assert [(problem.line, problem.column) for problem in after.problems] == [(4, 8)]


def test_a_class_whose_header_is_being_typed_keeps_its_members():
    text = "class A(nn.Module):\n    def f(self):\n        return 1\n"
    before = parse(text)
    after = parse(text.replace("Module)", "Module, "), previous=before)
    assert len(after.problems) == 1
    assert unparse(after) == "class A(nn.Module):\n\n    def f(self):\n        return 1"


@pytest.mark.parametrize("opened", ['"""', "'''", "x = (", "x = {", "f'''", 'x = """ (', "def f(", "@d("])
def test_what_is_just_opened_swallows_nothing(opened):
    rest = 'def g():\n    """Doc."""\n    return 1\n\nh = g()\n\nclass A:\n    """Doc."""\n    def f(self): pass\n'
    before = parse("a = 1\n\n" + rest)
    kept = list(before.body)[1:]
    after = parse(f"a = 1\n{opened}\n" + rest, previous=before)
    assert [statement for statement in after.body if statement in kept] == kept
    assert len(after.problems) == 1
    undone = parse("a = 1\n\n" + rest, previous=after)
    assert undone.problems == []
    assert list(undone.body)[1:] == kept


PATHOLOGICAL = {
    "parentheses": "(" * 5000 + ")" * 5000,
    "open brackets": "[" * 100_000,
    "open brackets on lines": "[\n" * 10_000,
    "sum": "+".join("a" * 20_000),
    "strings": "x = (" + "\n".join(['"a"'] * 20_000) + ")",
    "attributes": "a" + ".b" * 20_000,
    "calls": "a" + "()" * 20_000,
    "powers": "**".join("a" * 20_000),
    "nots": "not " * 20_000 + "a",
    "signs": "-" * 20_000 + "a",
    "lambdas": "lambda: " * 20_000 + "a",
    "conditionals": "a if b else " * 20_000 + "c",
    "blocks": "".join(" " * n + "if a:\n" for n in range(90)) + " " * 90 + "b",
    "many blocks": "".join(" " * n + "if a:\n" for n in range(2000)) + " " * 2000 + "b",
    "elifs": "if a:\n  b\n" + "elif a:\n  b\n" * 20_000,
    "comprehension": "[a " + "for a in b " * 20_000 + "]",
    "f-string": "f'" + "{a:" * 500 + "}" * 500 + "'",
    "nested f-strings": "f'{" * 200 + "}'" * 200,
    "digits": "x = " + "9" * 50_000,
    "null": "x = '\0'\0",
    "surrogate": "x = '\ud800'",
    "quotes": "'\"" * 20_000,
    "name": "x = '\\N{NO SUCH CHARACTER}'",
}


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_pathological_text_is_a_problem_and_the_rest_lives(name):
    source = on_small_stack("a = 1\n" + PATHOLOGICAL[name] + "\nb = 2\n\ndef f(): pass\n")
    assert source.problems
    kept = unparse(source).splitlines()
    assert kept[0] == "a = 1"
    assert kept[-2:] == ["def f():", "    pass"]


def on_small_stack(text):
    """Parses in a thread with the 1 MiB that some platforms give one; an overflow would end the test run."""
    default = threading.stack_size(1 << 20)
    try:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(parse, text).result()
    finally:
        threading.stack_size(default)


NESTS = {
    "brackets": lambda n: "[" * n + "]" * n,
    "calls": lambda n: "f(lambda: {1: " * n + "1" + "})" * n,
    "blocks": lambda n: "".join(" " * i + "while a:\n" for i in range(n)) + " " * n + "b",
    "links": lambda n: "a.b[c] + " * n + "d",
    "fields": lambda n: "f'" + "{a:" * n + "}" * n + "'",
    "strings": lambda n: "x = (" + "'a' " * n + ")",
}


@pytest.mark.parametrize("name", NESTS)
def test_what_is_just_not_too_deep_fits_on_a_small_stack(name):
    depth = next(n for n in range(1, 2000) if is_too_deep(NESTS[name](n)))
    assert depth > 15
    on_small_stack(NESTS[name](depth - 1))


def is_too_deep(text):
    try:
        check_depth(text)
    except TooDeepError:
        return True
    return False


def test_deep_text_inside_of_a_function_leaves_the_function():
    source = parse("def f(x):\n    y = " + "(" * 300 + ")" * 300 + "\n    return x\n")
    assert [(problem.line, problem.message) for problem in source.problems] == [(1, "nested too deeply")]
    assert unparse(source) == "def f(x):\n    pass\n    return x"


def test_a_list_of_more_items_than_can_be_parsed_leaves_the_rest():
    source = parse(f"x = 1\ny = [{'1, ' * 100_001}]\nz = 2\n")
    assert [(problem.line, problem.message) for problem in source.problems] == [
        (1, "is too long to be parsed: it has too many parts")
    ]
    assert unparse(source) == "x = 1\nz = 2"


@pytest.mark.parametrize("place", ["{}", "def f():\n    {}\n    after = 3", "class C:\n    {}\n    after = 3"])
def test_what_libcst_alone_does_not_take_is_no_problem(place):
    source = parse(f"before = 1\n{place.format('(x): int = 1')}\nafter = 2\n")
    assert source.problems == []
    assert unparse(source).startswith("before = 1\n")
    assert unparse(source).endswith("after = 2")
    assert "(x): int" not in unparse(source)


def test_a_long_text_is_no_long_list():
    assert not is_too_deep(f"x = {'1, ' * 1000 + 'a' * 1_000_000!r}\n")


WORDS = """def class if else : ( ) [ ] { } ' " \'\'\' \\ # @ x = . , f' { } 1 async lambda é 😀 `"""
TOKENS = [*re.findall(r"\S+", WORDS), '"""', "\n", "\r", "\r\n", "\t", "\x0c", "\0", "\n    ", "\n  ", " "]


@pytest.mark.parametrize("seed", range(20))
def test_any_text_can_be_parsed(seed):
    rng = random.Random(seed)
    source = None
    for _ in range(30):
        text = "".join(rng.choice(TOKENS) + rng.choice(["", " "]) for _ in range(rng.randrange(60)))
        source = parse(text, previous=source)
        assert "".join(chunk.current for chunk in source.chunks) == text
        for chunk in source.chunks:
            for statement in chunk.body:
                span = chunk.span(statement)
                assert (0, 0) <= (span.start_line, span.start_col) <= (span.end_line, span.end_col)
                assert span.end_line < len(source.line_starts)
        if not source.problems:
            assert dump(FromLowered().module(source)) == dump(FromLowered().module(parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "for m in a:\n        if m:\n    \t        m.b()\n",
        "class A:\n    def f(self):\n        try:\n            x = '''\n\tz'''\n        finally:\n            pass\n",
        "class A:\n    def f(self):\n        if self:\n    \t\t    self.x = 1\n",
        "def f(x):\n    if x:\n    \treturn '''\n    \t'''\n    return 2\n",
    ],
)
def test_blocks_may_be_indented_by_tabs_as_far_as_python_takes_them(text):
    source = parse(text)
    assert source.problems == []
    assert ast.dump(ast.parse(unparse(source))) == ast.dump(ast.parse(text))


def test_a_string_keeps_its_tabs():
    text = (
        "def f(x):\n    if x:\n    \treturn '''\n\tb'''\n\ndef g(x):\n        if x:\n    \t        return '''\n\tb'''\n"
    )
    assert ast.parse(text)
    assert "g" not in unparse(parse(text)), "it could only be read with another string in it"
