"""Chunks: where they are cut, that they say the same as the whole, and what a new parse takes over."""

import pickle
import random
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from gradguard.syntax import ir
from gradguard.syntax.chunks import Chunk, Source, Span, line_starts, parse
from gradguard.syntax.lower import lower
from gradguard.syntax.walk import statements

from .oracle import FromLowered, dump

TORCH = Path(find_spec("torch").origin).parent
TEXTS = {
    name: (TORCH / name).read_text("utf-8")
    for name in ("nn/modules/linear.py", "nn/modules/container.py", "optim/sgd.py", "utils/hooks.py")
}


def pieces(text):
    return [(chunk.kind, chunk.text) for chunk in parse(text).chunks]


def shape(source):
    """All that a source says, with places in the file: equal for equal sources."""
    return [describe(statement, None) for statement in source.body], source.problems


def describe(node, chunk):
    if isinstance(node, ir.Stmt):
        chunk = node.chunk
    if isinstance(node, list):
        return [describe(item, chunk) for item in node]
    if not is_dataclass(node):
        return node
    place = [chunk.span(node)] if isinstance(node, ir.Node) else []
    values = [describe(getattr(node, f.name), chunk) for f in fields(node) if f.name not in ("chunk", "start", "end")]
    return [type(node).__name__, *place, *values]


def test_each_top_level_statement_is_a_chunk():
    assert pieces(
        "# hello\nimport a\nx = [\n1,\n]\n\nif x:\n  y\n# why\nelse:\n  z\n\n@d\n@e(\n)\n# f\ndef f():\n  pass\ny = 1"
    ) == [
        ("statement", "# hello\nimport a\n"),
        ("statement", "x = [\n1,\n]\n\n"),
        ("statement", "if x:\n  y\n# why\nelse:\n  z\n\n"),
        ("statement", "@d\n@e(\n)\n# f\ndef f():\n  pass\n"),
        ("statement", "y = 1"),
    ]


def test_each_member_of_a_class_is_a_chunk():
    assert pieces(
        "@d\nclass A(\nB):  # why\n    # first\n    'doc'\n    x = 1\n\n    @e\n    def f(self):\n        pass\ny\n"
    ) == [
        ("header", "@d\nclass A(\nB):  # why\n    # first\n"),
        ("member", "    'doc'\n"),
        ("member", "    x = 1\n\n"),
        ("member", "    @e\n    def f(self):\n        pass\n"),
        ("statement", "y\n"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "'''\nx = 1\n'''\n",
        '"""\n\\"""\ny\n"""\n',
        "x = 'a\\\ny'\n",
        "x = 1 + \\\ny\n",
        "x = (\n'('\n)\n",
        "x = [ # (\ny\n]\n",
        "try:\n  x\nexcept A:\n  y\nelse:\n  z\nfinally:\n  w\n",
        "for x in y:\n  z\nelse:\n  w\n",
        "f('''\ny = '[{('\n''', \"'''\", (\n1))\n",
        "class A: x = 1\n",
        "x = r'''\ny\\'''\n'''\n",
        "match x:\n  case 1:\n    y\n  case 2: z\n",
    ],
)
def test_what_is_one_statement_is_one_chunk(text):
    assert [chunk.text for chunk in parse(text + "last\n").chunks] == [text, "last\n"]
    assert parse(text + "last\n").problems == []


@pytest.mark.parametrize("name", TEXTS)
def test_chunks_say_what_the_whole_says(name):
    text = TEXTS[name]
    source = parse(text)
    assert "".join(chunk.text for chunk in source.chunks) == text
    whole = Chunk("<unknown>", text, 0, 0, "statement", line_starts=line_starts(text))
    whole.body = lower(text, whole)
    assert len(source.chunks) > 10
    assert dump(FromLowered().module(source)) == dump(FromLowered().module(whole))


@pytest.mark.parametrize("name", TEXTS)
def test_after_any_edits_a_source_is_what_a_fresh_parse_gives(name):
    rng = random.Random(name)
    good = TEXTS[name]
    source = parse(good)
    unbroken = 0
    for _ in range(25):
        text = edited(good, rng)
        source = parse(text, previous=source)
        fresh = parse(text)
        assert bool(source.problems) == bool(fresh.problems)
        if not fresh.problems:
            assert shape(source) == shape(fresh)
            good = text
            unbroken += 1
    assert unbroken > 12


@pytest.mark.parametrize("new", ["x = 1\n    class B:\n    y = 2\n", "x = 1class B:\n    y = 2\n"])
def test_what_begins_no_line_any_more_is_not_taken_for_a_statement(new):
    source, fresh = parse(new, previous=parse("x = 1\nclass B:\n    y = 2\n")), parse(new)
    assert fresh.problems != []
    assert source.problems == fresh.problems


def edited(text, rng):
    """One of the things that happen in an editor: lines come, go, move; a word is typed."""
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    match rng.randrange(6):
        case 0:
            lines.insert(at, indent + f"x{rng.random()} = [1]\n".replace("0.", ""))
        case 1:
            lines.insert(at, "\n")
        case 2:
            lines[at] = lines[at].replace("self", "this")
        case 3 if not lines[at].strip():
            del lines[at]
        case 4:
            lines[at] = lines[at].rstrip("\n") + "  # typed\n"
        case 5:
            lines.append(f"y = {at}\n")
    return "".join(lines)


def test_a_keystroke_reparses_one_chunk_and_keeps_the_others():
    text = (TORCH / "nn/modules/rnn.py").read_text("utf-8")
    before = parse(text)
    texts = {id(chunk): chunk.text for chunk in before.chunks}
    at = text.index("return", text.index("def flatten_parameters"))
    after = parse(text[:at] + "x = 1\n        " + text[at:], previous=before)
    assert after.problems == []
    assert sum(texts.get(id(chunk)) != chunk.text for chunk in after.chunks) == 1


FUNCTION = """\
@d
def f(a, *b):
    # why
    c = [x for x in b]  # first
    for i in c:
        yield (
            i
        )
    else:
        d = 1; e = 2

    def g(): return a
    class K:
        def h(self): pass
    return c
"""
TYPED = (
    "global c\n",
    "if a:\n    z = (y := 2)\n",
    "# no\n",
    "x = '''\n'''\n",
    "a[0\\\n] = await b\n",
    "@e\ndef h(): ...\n",
)


@pytest.mark.parametrize("line", range(2, 15))
@pytest.mark.parametrize("typed", TYPED)
def test_letters_typed_into_a_function_give_what_a_fresh_parse_gives(line, typed):
    lines = FUNCTION.splitlines(keepends=True)
    indent = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
    start = sum(map(len, lines[:line]))
    new = "".join(indent + one for one in typed.splitlines(keepends=True))
    source = parse(FUNCTION)
    (function,) = source.body
    for end in range(len(new) + 1):
        text = FUNCTION[:start] + new[:end] + FUNCTION[start:]
        source, fresh = parse(text, previous=source), parse(text)
        assert bool(source.problems) == bool(fresh.problems)
        if not fresh.problems:
            assert shape(source) == shape(fresh)
    source = parse(FUNCTION, previous=source)
    assert next(source.body) is function
    assert shape(source) == shape(parse(FUNCTION))


def test_statements_that_are_not_edited_keep_their_records():
    before = parse(FUNCTION)
    (function,) = before.body
    body = list(function.body)
    text = FUNCTION.replace("        yield (\n", "        yield (  # this\n")
    after = parse(text, previous=before)
    assert [old is new for old, new in zip(body, function.body, strict=True)] == [True, False, True, True, True]
    same = function.body
    parse(text.replace("# first", "# 1st"), previous=after)
    assert function.body is same, "what stands beside the statements is none of them"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    # why\n", "\n    # why,\n    # and what for\n"),
        ("(a, *b):\n", "(a, *b):  # it does\n"),
        ("    else:\n", "        # at last\n\n    else:  # none\n"),
        ("        yield (\n", "\n        # each\n        yield (\n"),
    ],
)
def test_statements_keep_their_records_where_lines_around_them_are_edited(before, after):
    source = parse(FUNCTION)
    (function,) = source.body
    same, body = function.body, list(function.body)
    text = FUNCTION.replace(before, after, 1)
    source = parse(text, previous=source)
    assert function.body is same
    assert same == body
    assert shape(source) == shape(parse(text))
    source = parse(f"if a:\n    b\n{text}", previous=source)
    test = next(source.body)
    source = parse(f"if a:\n    # so\n    b\n{text}", previous=source)
    assert next(source.body) is test
    assert shape(source) == shape(parse(f"if a:\n    # so\n    b\n{text}"))


def test_an_unchanged_chunk_moves_with_the_text():
    before = parse("x = 1\n\n\nclass A:\n    def f(self):\n        return self\n", "a.py")
    function = next(before.body), list(before.body)[1].body[0]
    after = parse("# more\n\nx = 1\nclass A:\n    def f(self):\n        return self\n", "b.py", before)
    assert next(after.body) is function[0]
    assert function[0].chunk.span(function[0]) == Span(2, 0, 2, 5)
    assert list(after.body)[1].body[0] is function[1]
    assert function[1].chunk.span(function[1]) == Span(4, 4, 5, 19)
    assert function[1].chunk.line_of(function[1]) == 4
    assert function[1].chunk.path == "b.py"


def test_a_class_is_the_same_object_while_its_head_does_not_change():
    text = "class A:\n    def f(self): pass\n    x = 1\n"
    before = parse(text)
    (first,) = before.body
    body = first.body
    moved = parse("\n" * 3 + "y\n" + text, previous=before)
    assert list(moved.body)[1] is first
    assert first.body is body
    changed = parse("\n" * 3 + "y\n" + text.replace("1", "2"), previous=moved)
    assert list(changed.body)[1] is first
    assert first.body is not body
    assert first.body[0] is body[0]
    assert first.body[1] is not body[1]
    renamed = parse("\n" * 3 + "y\n" + text.replace("A", "B"), previous=changed)
    assert list(renamed.body)[1] is not first
    assert list(renamed.body)[1].body[0] is body[0]


HEAD = "@d(1)\ndef f(a: int, *b, c=[2], **d) -> int:\n    return a\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return a", "return a + 1"),
        ("return a\n", "x = 1\n    return x\n"),
        ("return a", "yield"),
    ],
)
def test_a_function_is_the_same_object_while_its_head_is_the_same(old, new):
    before = parse(HEAD)
    (function,) = before.body
    body, params = function.body, function.params
    after = parse(HEAD.replace(old, new), previous=before)
    assert next(after.body) is function
    assert function.body is not body
    assert function.params is params
    assert shape(after) == shape(parse(HEAD.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [("d(1)", "d(2)"), ("def f", "def g"), ("def", "async def"), ("int, *", "str, *"), ("*b, ", "*, "), ("[2]", "[3]"),
     ("**d", "d"), (" -> int", ""), ("@d(1)\n", "")],
)  # fmt: skip
def test_a_function_with_another_head_is_another_object(old, new):
    before = parse(HEAD)
    (function,) = before.body
    after = parse(HEAD.replace(old, new), previous=before)
    assert next(after.body) is not function
    assert shape(after) == shape(parse(HEAD.replace(old, new)))


def test_a_function_that_was_broken_and_mended_is_the_same_object():
    before = parse(HEAD)
    (function,) = before.body
    broken = parse(HEAD.replace("return a", "return (a"), previous=before)
    assert broken.problems
    mended = parse(HEAD.replace("return a", "return (a)"), previous=broken)
    assert next(mended.body) is function
    assert mended.problems == []
    assert shape(mended) == shape(parse(HEAD.replace("return a", "return (a)")))


def test_equal_statements_are_different_chunks():
    source = parse("f()\nf()\nf()\n")
    again = parse("f()\nf()\n", previous=source)
    first, second = again.body
    assert first is not second
    assert [chunk.line for chunk in again.chunks] == [0, 1]


def test_a_class_spans_all_of_its_members():
    source = parse("class A:\n\n    x = 1\n    def f(self):\n        pass  # end\n\n# after\n")
    (definition,) = source.body
    assert definition.chunk.span(definition) == Span(0, 0, 4, 12)


def test_lines():
    source = parse("a\r\nb\rc\n\x0cd")
    assert [source.line(number) for number in range(4)] == ["a\r\n", "b\r", "c\n", "\x0cd"]
    assert [source.chunks[n].line for n in range(4)] == [0, 1, 2, 3]


def test_a_function_is_taken_over_once_where_others_come_between_again():
    function = "def f(x):\n    return x\n"
    before = parse("s = 1\n" + function)
    text = "t = 2\n" + function.replace("x\n", "x + 1\n") + "s = 1\n" + function.replace("x\n", "x + 2\n")
    assert shape(parse(text, previous=before)) == shape(parse(text))


def test_a_parsed_file_comes_out_of_a_pickle_as_it_was():
    source = parse(
        "import os\n@d\nclass C(B, m=1):\n    x: int = -1\n    def f(self, *a, b=f'{a}'):\n        return [*a]\n"
    )
    again = pickle.loads(pickle.dumps(source))
    assert shape(again) == shape(source)
    assert all(statement.chunk is chunk for chunk in again.chunks for statement in chunk.body)
    assert again.chunks[1].body[0].body[0] is again.chunks[2].body[0]


TAKEN_BACK = """\
import math

def half(x):
    y = x / 2
    if y > 1:
        y = y - 1
    return y

class Net:
    \"\"\"A net.\"\"\"

    def first(self):
        z = 1
        return z

    def second(self, a):
        return a

last = half(3)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y = x / 2", "y = x // 2"),
        ("        y = y - 1\n", ""),
        ("    y = x / 2\n", "    y = x / 2\n    y = x / 2\n"),
        ("def half(x)", "def half(x, z)"),
        ("def second(self, a)", "def second(self)"),
        ("    def second(self, a):\n        return a\n", ""),
        ("import math\n", ""),
        ("        z = 1\n", '        """\n        z = 1\n'),
        ("class Net:\n", '"""\nclass Net:\n'),
        ("last = half(3)", "last = half(4)"),
        ("        return z\n", "        return z\n    x = 3\n"),
    ],
)
def test_an_edit_that_is_taken_back_gives_the_same_statements(old: str, new: str):
    def inside(source: Source) -> list[tuple[object, object]]:
        return [(s, s.body if isinstance(s, ir.FunctionDef) else None) for s in statements(source.body)]

    source = parse(TAKEN_BACK)
    before = inside(source)
    assert TAKEN_BACK.count(old) == 1
    for text in (TAKEN_BACK.replace(old, new), TAKEN_BACK, TAKEN_BACK.replace(old, new).replace("3", "4"), TAKEN_BACK):
        source = parse(text, previous=source)
        assert source.problems or shape(source) == shape(parse(text))
    for (one, body), (other, its) in zip(before, inside(source), strict=True):
        assert one is other or isinstance(one, ir.ClassDef)
        assert body is its
