"""Draws programs without tensors: small ones that do much of what Python can do, and end.

A program is a list of statements at its top level, each a text of its own, so that a failing one can be made
smaller by leaving statements out.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("int", "str", "list", "dict", "tuple", "set", "bool", "float")


class Writer:
    """Writes one program; `names` are the names that exist, by the kind of their values."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.names: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.functions: list[tuple[str, list[str], str]] = []
        self.classes: list[tuple[str, list[str]]] = []
        self.count = 0
        self.changes = True

    def program(self, statements: int) -> list[str]:
        made = [
            "import copy, collections, contextlib, dataclasses, enum, functools, itertools, operator, types, typing"
        ]
        made += [f"{self.new(kind)} = {self.literal(kind)}" for kind in KINDS]
        for _ in range(statements):
            made.append("\n".join(self.statement(2)))
        return made

    # -- names -----------------------------------------------------------------------------------

    def new(self, kind: str, prefix: str = "") -> str:
        self.count += 1
        name = f"{prefix or kind[0]}{self.count}"
        self.names[kind].append(name)
        return name

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, *choices: str) -> str:
        return self.dice.choice(choices)

    def inside(self, write: Callable[[], list[str]], **names: list[str]) -> list[str]:
        """What `write` writes with further names, which do not exist behind it."""
        before = {kind: list(held) for kind, held in self.names.items()}
        for kind, more in names.items():
            self.names[kind] = [*self.names[kind], *more]
        try:
            return write()
        finally:
            self.names = before

    # -- expressions -----------------------------------------------------------------------------

    def literal(self, kind: str) -> str:
        dice = self.dice
        if kind == "int":
            return str(dice.randint(-3, 9))
        if kind == "float":
            return str(dice.randint(-4, 9) / 2)
        if kind == "bool":
            return self.pick("True", "False")
        if kind == "str":
            return repr("".join(dice.choice("abcxyz ") for _ in range(dice.randint(0, 5))))
        items = [str(dice.randint(0, 6)) for _ in range(dice.randint(0, 4))]
        if kind == "list":
            return f"[{', '.join(items)}]"
        if kind == "tuple":
            return f"({''.join(i + ', ' for i in items)})"
        if kind == "set":
            return f"{{{', '.join(items)}}}" if items else "set()"
        return "{" + ", ".join(f"{dice.choice('abcd')!r}: {i}" for i in items) + "}"

    def name(self, kind: str) -> str:
        return self.dice.choice(self.names[kind]) if self.names[kind] else self.literal(kind).replace("'", '"')

    def expr(self, kind: str, depth: int = 2) -> str:
        if depth <= 0 or self.dice.random() < 0.25:
            return self.name(kind) if self.dice.random() < 0.7 else self.literal(kind)
        return self.dice.choice(EXPRESSIONS[kind])(self, depth - 1)

    def integers(self, depth: int) -> str:
        """Something to iterate over that gives integers."""
        e, n = self.expr, self.fresh("q")
        choices = [
            lambda: e("list", depth),
            lambda: e("tuple", depth),
            lambda: f"range({self.dice.randint(0, 5)})",
            lambda: f"range({e('int', 0)}, {self.dice.randint(0, 6)}, {self.pick('1', '2', '-1')})",
            lambda: f"{e('dict', depth)}.values()",
            lambda: f"map(lambda {n}: {n} * 2, {e('list', depth)})",
            lambda: f"filter(lambda {n}: {n} > 1, {e('list', depth)})",
            lambda: f"reversed({e('list', depth)})",
            lambda: f"sorted({e('list', depth)}, reverse={e('bool', 0)})",
            lambda: f"sorted({e('list', depth)}, key=lambda {n}: (-{n}) % 3)",
            lambda: f"({n} + 1 for {n} in {e('list', depth)} if {n} % 2)",
            lambda: f"itertools.chain({e('list', depth)}, {e('tuple', depth)})",
            lambda: f"itertools.chain.from_iterable([{e('list', depth)}, {e('tuple', depth)}])",
            lambda: f"itertools.islice({e('list', depth)}, {self.pick('1', '2', '3', '1, 3', '0, 4, 2')})",
            lambda: f"itertools.accumulate({e('list', depth)})",
            lambda: f"itertools.takewhile(lambda {n}: {n} < 4, {e('list', depth)})",
            lambda: f"itertools.dropwhile(lambda {n}: {n} < 3, {e('list', depth)})",
            lambda: f"itertools.filterfalse(lambda {n}: {n} % 2, {e('list', depth)})",
            lambda: f"itertools.compress({e('list', depth)}, [1, 0, 1])",
            lambda: f"itertools.starmap(lambda a, b: a - b, zip({e('list', depth)}, {e('tuple', depth)}))",
            lambda: f"itertools.repeat({e('int', depth)}, 2)",
            lambda: f"itertools.islice(itertools.count({e('int', 0)}), 3)",
            lambda: "itertools.islice(itertools.cycle([1, 2]), 3)",
            lambda: f"(b - a for a, b in itertools.pairwise({e('list', depth)}))",
            lambda: f"collections.deque({e('list', depth)}, maxlen=3)",
            lambda: f"[sum(g) for _, g in itertools.groupby({e('list', depth)}, key=lambda v: v % 2)]",
            lambda: f"[a * b for a, b in itertools.product({e('list', 0)}, repeat=2)]",
            lambda: f"[a - b for a, b in itertools.combinations({e('list', 0)}, 2)]",
            lambda: f"[a - b for a, b in itertools.permutations({e('list', 0)}, 2)]",
            lambda: f"[(a or 0) + b for a, b in itertools.zip_longest({e('list', 0)}, [1, 2, 3], fillvalue=0)]",
            lambda: f"iter({e('list', depth)})",
            lambda: f"list(enumerate({e('list', depth)}))[0]",
        ]
        return self.dice.choice(choices)()

    # -- statements ------------------------------------------------------------------------------

    def statement(self, depth: int) -> list[str]:
        return self.dice.choice(STATEMENTS if depth > 0 else SIMPLE)(self, depth - 1)

    def block(self, depth: int, n: int | None = None) -> list[str]:
        lines: list[str] = []
        for _ in range(n or self.dice.randint(1, 2)):
            lines += self.statement(depth)
        return [f"    {line}" for line in lines]

    def kind(self) -> str:
        return self.dice.choice(KINDS)


def some(*formats: str) -> list[Callable[[Writer, int], str]]:
    """Expressions by their forms: `{int}` is an integer's expression, `{n}` a fresh name, `{ints}` an iterable."""

    def one(form: str) -> Callable[[Writer, int], str]:
        def write(w: Writer, depth: int) -> str:
            text, n = form, w.fresh("v")
            text = text.replace("{n}", n)
            while "{" in text.replace("{{", "").replace("}}", "") and (at := _hole(text)):
                start, end = at
                hole = text[start + 1 : end]
                simple = "f'" in form  # there are quotes around what stands in an f-string
                made = w.integers(depth) if hole == "ints" else w.name(hole) if simple else w.expr(hole, depth)
                text = f"{text[:start]}({made.replace('{', '{{').replace('}', '}}')}){text[end + 1 :]}"
            return text.replace("{{", "{").replace("}}", "}")

        return write

    return [one(form) for form in formats]


def _hole(text: str) -> tuple[int, int] | None:
    i = 0
    while i < len(text):
        if text[i] == "{":
            if text[i : i + 2] == "{{":
                i += 2
                continue
            return i, text.index("}", i)
        i += 1
    return None


EXPRESSIONS: dict[str, list[Callable[[Writer, int], str]]] = {
    "int": some(
        "{int} + {int}", "{int} - {int}", "{int} * 3 % 17", "{int} // 2", "{int} % 5", "-{int}", "abs({int})", "~{int}",
        "{int} & 6", "{int} | 1", "{int} ^ {int}", "1 << abs({int}) % 4", "len({list})", "len({str})", "len({dict})",
        "len({set})", "sum({ints})", "max({int}, {int})", "min([1, *{ints}])", "{int} if {bool} else {int}",
        "{int} or {int}", "{int} and {int}", "({n} := {int}) + {n}", "{dict}.get('a', {int})", "{list}.count({int})",
        "{str}.find('a')", "ord(({str} + 'a')[0])", "int({bool})", "int({float})", "round({float})", "divmod({int}, 4)[0]",
        "next(iter({ints}), 7)", "(lambda {n}: {n} + 1)({int})", "functools.reduce(lambda a, b: a + b, {ints}, 0)",
        "operator.add({int}, {int})", "operator.itemgetter(0)([{int}, 2])", "[*{ints}, 5][-1]", "hash(True) + {int}",
        "collections.Counter({list})[1]", "sum(1 for _ in {ints})", "{int} ** 2 % 11", "max({ints}, default=3)",
        "[{int}, {int}][{bool}]", "len(list({ints}))", "max({list}, key=lambda {n}: -{n}, default=0)", "{int}.real",
        "functools.partial(max, {int})({int})", "({int}, {int})[-1]", "(lambda *a, k=2, **w: len(a) + k)({int}, *{list})",
        "getattr(types.SimpleNamespace(a={int}), 'a')", "int('1' + str(abs({int})))", "{int}.bit_length()",
        "operator.methodcaller('count', 1)({list})", "sum({ints}, start=1)", "math.prod([1, 2])".replace("math.prod", "sum"),
    ),
    "float": some(
        "{float} + {int}", "{float} * 2", "{int} / 4", "-{float}", "abs({float})", "float({int})", "{float} - {float}",
        "max({float}, 0.5)", "{float} if {bool} else 1.5", "round({float}, 1)", "float('1.5')", "{float} // 1",
    ),
    "bool": some(
        "{int} < {int}", "{int} == {int}", "not {bool}", "{bool} and {bool}", "{int} in {list}", "{str} in 'abc'",
        "'a' in {dict}", "0 <= {int} < 5", "bool({list})", "isinstance({int}, int)", "{list} == {list}", "any({ints})",
        "all({n} > 0 for {n} in {ints})", "{str}.startswith('a')", "{bool} or {bool}", "type({int}) is str", "{set} <= {set}",
        "callable(len)", "{tuple} < {tuple}", "hasattr([], 'append')", "{int} not in {tuple}", "{int} in {set}",
        "isinstance({float}, (int, str))", "{str} == {str}", "{str}.isdigit()", "bool({int})", "{dict} == {dict}",
        "issubclass(bool, int)", "{set}.isdisjoint({set})", "type({int}) is int", "operator.lt({int}, 3)",
    ),
    "str": some(
        "{str} + {str}", "{str} * 2", "{str}.upper()", "str({int})", "f'{{{int}}}-{{{str}}}'", "f'{{{int}:03d}}'",
        "f'{{{float}:.2f}}'", "{str}[1:]", "{str}[::-1]", "','.join(str({n}) for {n} in {ints})", "{str}.replace('a', 'bb')",
        "'%s=%d' % ({str}, {int})", "'{{}}+{{}}'.format({str}, {int})", "{str} if {bool} else {str}", "repr({int})",
        "{str}.strip()", "f'{{{str}!r}}'", "'-'.join([{str}, {str}])", "({str} + 'xy')[-1]", "{str}.split('a')[0]",
        "chr(97 + abs({int}) % 5)", "str({list})", "str({tuple})", "{str}.title()", "min({str}, {str})", "str({bool})",
        "type({int}).__name__", "'abc'[{int} % 3]", "f'{{{int} + 1 = }}'", "{str}.zfill(3)", "str({float})", "{str}.join('ab')",
        "{str}.partition('x')[2]", "''.join(sorted({str}))", "''.join(reversed({str}))", "repr({str})", "{str}.removeprefix('a')",
    ),
    "list": some(
        "{list} + {list}", "{list} * 2", "{list}[1:]", "{list}[::2]", "{list}[:-1]", "[{int}, *{ints}]", "list({ints})",
        "[{n} * 2 for {n} in {ints}]", "[{n} for {n} in {ints} if {n} % 2 == 0]", "sorted({ints})", "list({tuple})",
        "[a + b for a in {list} for b in [1, 2]]", "[a * b for a, b in zip({list}, {ints})]", "[i + a for i, a in enumerate({ints})]",
        "{list}.copy()", "list({dict}.values())", "[len({str}), {int}]", "{list} if {bool} else {list}", "{list} or [1]",
        "[sum({n}) for {n} in [{list}, {list}]]", "[{n} if {n} > 2 else -{n} for {n} in {ints}]", "sorted({set})",
        "[ord({n}) for {n} in {str}]", "list(map(operator.neg, {list}))", "list(divmod({int}, 3))", "copy.copy({list})",
        "copy.deepcopy([{list}, 1])[0]", "[x for x in ({int}, {int}, None) if x is not None]", "list(range({int} % 5))",
        "list(map(int, '123'))", "[x for row in [{list}, {list}] for x in row]", "list({list}.__iter__())", "[*{list}, *{tuple}]",
        "[y for x in {list} if (y := x + 1) > 2]", "list(dict.fromkeys({list}))", "[int(c) for c in str(abs({int}))]",
        "sorted({list}, key=operator.neg)", "[k % 3 for k in range(7)][{int} % 3:]", "list(collections.deque({list}))",
    ),
    "tuple": some(
        "{tuple} + ({int},)", "({int}, {int})", "tuple({ints})", "{tuple}[::-1]", "{tuple}[1:]", "{tuple} * 2",
        "(*{list}, {int})", "tuple({n} + 1 for {n} in {ints})", "{tuple} if {bool} else {tuple}", "divmod({int}, 3)",
        "tuple(zip(*[[1, 2], [3, 4]]))[0]", "tuple(sorted({tuple}))", "(lambda *a: a)(*{list})",
    ),
    "set": some(
        "{set} | {set}", "{set} & {set}", "{set} - {set}", "{set} ^ {set}", "set({ints})", "{{{n} % 3 for {n} in {ints}}}",
        "{set} | {{{int}}}", "{set}.union({list})", "{set}.intersection({list})", "{set}.difference({list})", "set({tuple})",
        "set({list}) | {set}", "{set}.copy()", "{{*{list}, 1}}",
    ),
    "dict": some(
        "{{**{dict}, 'z': {int}}}", "{dict} | {dict}", "{{k: v + 1 for k, v in {dict}.items()}}", "dict({dict}, q={int})",
        "dict(zip('abc', {ints}))", "{{k: {int} for k in 'ab'}}", "dict.fromkeys('ab', {int})", "{dict}.copy()",
        "dict([('a', {int}), ('b', {int})])", "dict(a={int}, **{{'b': 1}})", "{{v: 1 for v in 'ab' if {bool}}} or {dict}",
        "dict(sorted({dict}.items()))", "dict(collections.Counter({str}))", "{{{str}: {int}}}", "(lambda **k: k)(a={int}, **{{'c': 2}})",
        "{{k: v for k, v in {dict}.items() if v > 1}}", "dict(collections.ChainMap({dict}, {dict}))", "copy.deepcopy({dict})",
        "dict(sorted({dict}.items(), key=lambda kv: kv[1]))", "vars(types.SimpleNamespace(a={int}, b=2))",
        "{{k: {dict}.get(k, 0) for k in 'ab'}}", "dict(enumerate({ints}))".replace("dict(", "dict((str(i), v) for i, v in "),
    ),
}  # fmt: skip


# -- statements -----------------------------------------------------------------------------------------


def assign(w: Writer, depth: int) -> list[str]:
    kind = w.kind()
    value = w.expr(kind)
    return [f"{w.new(kind)} = {value}"]


def again(w: Writer, depth: int) -> list[str]:
    kind = w.kind()
    return [f"{w.name(kind)} = {w.expr(kind)}"] if w.names[kind] else assign(w, depth)


def augmented(w: Writer, depth: int) -> list[str]:
    kind, forms = w.dice.choice(list(AUGMENTED.items()))
    if not w.names[kind]:
        return assign(w, depth)
    op, other = w.dice.choice(forms)
    return [f"{w.dice.choice(w.names[kind])} {op} {w.expr(other)}"]


AUGMENTED = {
    "int": [("+=", "int"), ("-=", "int"), ("^=", "int"), ("|=", "int")],
    "str": [("+=", "str")],
    "list": [("+=", "list"), ("+=", "tuple")],
    "set": [("|=", "set"), ("-=", "set"), ("&=", "set"), ("^=", "set")],
    "dict": [("|=", "dict")],
    "tuple": [("+=", "tuple")],
    "float": [("+=", "int"), ("*=", "float")],
}

CHANGES = {
    "list": [
        "{0}.append({int})", "{0}.extend({ints})", "{0}.insert(0, {int})", "{0}.reverse()", "{0}.sort()", "{0}[:1] = [{int}]",
        "{0}.sort(reverse=True)", "{0}[0:0] = {list}", "del {0}[:1]", "{0}.clear()", "{0}.remove({0}[0]) if {0} else None",
        "{0} and {0}.pop()", "{0} and {0}.pop(0)", "{0}[len({0}):] = [{int}]", "{0}[::2] = [0] * len({0}[::2])",
        "{0}.append({0}.count(1))", "{0}.__setitem__(slice(0, 1), [{int}])", "{0}.sort(key=lambda v: -v)", "del {0}[-1:]",
    ],
    "dict": [
        "{0}[{str}] = {int}", "{0}.update(a={int})", "{0}.update({dict})", "{0}.setdefault({str}, {int})", "{0}.pop('a', None)",
        "{0}.update([('k', {int})])", "{0}['n'] = {0}.get('n', 0) + 1", "{0}.clear()", "{0} and {0}.popitem()",
        "{0}.setdefault('s', 1)", "{0}.pop({str}, 0)",
    ],
    "set": ["{0}.add({int})", "{0}.discard({int})", "{0}.update({list})", "{0}.clear()", "{0}.difference_update({list})"],
}  # fmt: skip


def change(w: Writer, depth: int) -> list[str]:
    kind = w.dice.choice(list(CHANGES))
    if not w.names[kind]:
        return assign(w, depth)
    form = w.dice.choice(CHANGES[kind]).replace("{0}", w.dice.choice(w.names[kind]))
    return [some(form)[0](w, 1)]


def taken(w: Writer, depth: int) -> list[str]:
    """The result of a method that changes its object."""
    target, kind = w.name("list"), "int"
    form = w.pick("{t}.pop() if {t} else 0", "{t}.index({t}[-1]) if {t} else 0", "({t}.append(1), len({t}))[1]")
    return [f"{w.new(kind)} = " + form.replace("{t}", target)] if w.names["list"] else assign(w, depth)


def unpack(w: Writer, depth: int) -> list[str]:
    value, other, more = w.expr("int"), w.expr("int"), w.integers(1)
    form = w.dice.randint(0, 4)
    if form == 0:
        return [f"{w.new('int')}, {w.new('int')} = {value}, {other}"]
    if form == 1:
        return [f"{w.new('int')}, *{w.new('list')} = [{value}, *{more}]"]
    if form == 2:
        return [f"*{w.new('list')}, {w.new('int')} = ({value}, *{more}, {other})"]
    if form == 3:
        return [f"({w.new('int')}, ({w.new('int')}, {w.new('str')})) = {value}, ({other}, {w.expr('str')})"]
    a, b = w.name("int"), w.name("int")
    return [f"{a}, {b} = {b}, {a}"] if a.isidentifier() and b.isidentifier() else assign(w, depth)


def chained(w: Writer, depth: int) -> list[str]:
    kind = w.pick("list", "dict", "int")
    value = w.expr(kind)
    return [f"{w.new(kind)} = {w.new(kind)} = {value}"]


def if_(w: Writer, depth: int) -> list[str]:
    lines = [f"if {w.expr('bool')}:", *w.inside(lambda: w.block(depth))]
    if w.dice.random() < 0.4:
        lines += [f"elif {w.expr(w.pick('bool', 'int', 'list', 'str'))}:", *w.inside(lambda: w.block(depth))]
    return lines + (["else:", *w.inside(lambda: w.block(depth))] if w.dice.random() < 0.6 else [])


def for_(w: Writer, depth: int) -> list[str]:
    n, form = w.fresh("i"), w.dice.randint(0, 4)
    total = w.new("int", "t")
    head = [f"{total} = 0"]
    # what is iterated over doesn't change meanwhile
    integers = lambda depth: f"[*({w.integers(depth)})]"  # noqa: E731
    if form == 0:
        loop, names = f"for {n} in {integers(1)}:", {"int": [n]}
    elif form == 1:
        k = w.fresh("k")
        loop, names = f"for {k}, {n} in list({w.expr('dict')}.items()):", {"str": [k], "int": [n]}
    elif form == 2:
        k = w.fresh("k")
        loop, names = f"for {k}, {n} in enumerate({integers(1)}, {w.literal('int')}):", {"int": [k, n]}
    elif form == 3:
        k = w.fresh("k")
        loop, names = f"for {k}, {n} in zip({integers(1)}, {integers(0)}):", {"int": [k, n]}
    else:
        loop, names = f"for {n} in {w.expr('str')}:", {"str": [n]}
    body = w.inside(lambda: w.block(depth, 1), **names)
    jump = w.pick("", "", f"    if {total} > 2:\n        break", f"    if {total} % 2:\n        continue")
    lines = [
        *head,
        loop.replace("in list(", "in list("),
        f"    {total} += 1",
        *(jump.split("\n") if jump else []),
        *body,
    ]
    return lines + (["else:", f"    {total} -= 10"] if w.dice.random() < 0.3 else [])


def while_(w: Writer, depth: int) -> list[str]:
    c = w.new("int", "c")
    lines = [f"{c} = {w.dice.randint(0, 4)}"]
    form = w.dice.randint(0, 2)
    head = [f"while {c} > 0:", f"while ({c} := {c} - 1) > 0:", "while True:"][form]
    step = [[f"    {c} -= 1"], [], [f"    {c} += 1", f"    if {c} > 5:", "        break"]][form]
    held = {k: [n for n in v if n != c] for k, v in w.names.items()}
    before, w.names = w.names, held
    body = w.inside(lambda: w.block(depth, 1))
    w.names = before
    return [*lines, head, *step, *body, *(["else:", f"    {c} = 100"] if w.dice.random() < 0.3 else [])]


def try_(w: Writer, depth: int) -> list[str]:
    r = w.new("str", "r")
    raising = w.pick(
        "raise ValueError('v')", "{}['k']", "1 // 0", "int('x')", "raise KeyError", "pass",
        "raise RuntimeError('a', 1)", "assert False", "[1].remove(5)", "raise StopIteration", "'a' + 1",
        "raise type('Own', (ValueError,), {})('o')", "(1, 2)[5]", "dict(a=1)['b']",
    )  # fmt: skip
    caught = w.pick(
        "ValueError", "(KeyError, IndexError)", "Exception", "ArithmeticError", "LookupError", "TypeError as e"
    )
    lines = [f"{r} = 'none'", "try:", *w.inside(lambda: w.block(depth, 1))]
    lines += [f"    {raising}" if w.dice.random() < 0.6 else "    pass"]
    lines += [f"except {caught}:", f"    {r} = 'first'", *w.inside(lambda: w.block(0, 1))]
    lines += ["except Exception as e:", f"    {r} = type(e).__name__"]
    if w.dice.random() < 0.3:
        lines += ["else:", f"    {r} += '!'"]
    if w.dice.random() < 0.4:
        lines += ["finally:", f"    {r} += '.'"]
    return lines


def with_(w: Writer, depth: int) -> list[str]:
    log, name = w.new("list", "log"), w.fresh("cm")
    form = w.dice.randint(0, 5)
    body = w.inside(lambda: w.block(depth, 1), int=["held"])
    if form == 0:
        made = [f"class {name}:", "    def __enter__(self):", f"        {log}.append(1)", "        return 5"]
        made += ["    def __exit__(self, kind, error, trace):", f"        {log}.append(2 if kind is None else 3)"]
        made += [f"        return {w.pick('True', 'kind is ValueError')}"]
        used = f"{name}()"
    elif form == 1:
        made = [
            "@contextlib.contextmanager",
            f"def {name}(v):",
            f"    {log}.append(v)",
            "    try:",
            "        yield v + 1",
        ]
        made += ["    except ValueError:", f"        {log}.append(8)", "    finally:", f"        {log}.append(9)"]
        used = f"{name}({w.literal('int')})"
    elif form == 2:
        made, used = [], f"contextlib.nullcontext({w.literal('int')})"
    elif form == 3:
        made, used = [], "contextlib.suppress(ValueError, KeyError)"
    elif form == 4:
        made = [f"class {name}:", "    def close(self):", f"        {log}.append(4)"]
        used = f"contextlib.closing({name}())"
    else:
        made = [f"def {name}(): return contextlib.ExitStack()"]
        used = f"{name}()"
        body = [f"    held.callback({log}.append, 7)", f"    held.push(lambda *e: {log}.append(len(e)))", *body]
        body += [f"    {log}.append(held.enter_context(contextlib.nullcontext(4)))", f"    {log}.append(0)"]
    raising = ["    raise ValueError"] if form in (1, 3) and w.dice.random() < 0.5 else []
    lines = [f"{log} = []", *made]
    if form in (3, 4):
        return [*lines, f"with {used}:", *[line.replace("held", "3") for line in body], *raising]
    return [*lines, f"with {used} as held:", *body, *raising]


def function(w: Writer, depth: int) -> list[str]:
    f, a, b = w.fresh("f"), w.fresh("a"), w.fresh("b")
    kind = w.pick("int", "str", "list", "tuple")
    params = w.pick(f"{a}, {b}=2", f"{a}, *{b}", f"{a}, *, {b}=3", f"{a}, **{b}", f"{a}, /, {b}=4")
    other = {"*": "tuple", "**": "dict"}.get("**" if f"**{b}" in params else "*" if f", *{b}" in params else "", "int")
    local = {a: "int", b: other}
    before, w.names = w.names, {k: list(v) for k, v in w.names.items()}
    # a function reads the names of the module, and changes what they hold, but binds none of them
    outer, own = w.names, {k: [n for n, one in local.items() if one == k] for k in KINDS}
    w.names = {k: own[k] or outer[k][:1] for k in KINDS}
    changed = [
        x for k in ("int", "str", "tuple", "float", "bool", "list", "set", "dict") for x in w.names[k] if x not in local
    ]
    body = w.block(depth, 1)
    w.names = {k: own[k] or outer[k][:1] for k in KINDS}
    result = w.expr(kind)
    w.names = before
    bound = "".join(f"{x}, " for x in changed).rstrip(", ")
    lines = [f"def {f}({params}):", f"    global {bound}" if bound else "    pass", *body, f"    return {result}"]
    call = w.pick(
        f"{f}({w.expr('int')})",
        f"{f}({w.expr('int')}, {b}={w.expr('int')})"
        if "*" not in params.replace("*, ", "") or f"**{b}" in params
        else f"{f}({w.expr('int')}, {w.expr('int')})",
    )
    return [*lines, f"{w.new(kind)} = {call}"]


def closure(w: Writer, depth: int) -> list[str]:
    f, c = w.fresh("make"), w.fresh("n")
    form = w.dice.randint(0, 4)
    out = w.new("list")
    if form == 0:
        return [f"def {f}(n):", "    def step(by=1):", "        nonlocal n", "        n += by", "        return n", "    return step",
                f"{c} = {f}({w.expr('int')})", f"{out} = [{c}(), {c}(2), {c}(by=3)]"]  # fmt: skip
    if form == 1:
        return [f"{c} = [lambda v, i=i: v + i for i in range(3)]", f"{out} = [{f}({w.expr('int')}) for {f} in {c}]"]
    if form == 2:
        return [f"{c} = [lambda: i for i in range(3)]", f"{out} = [{f}() for {f} in {c}]"]
    if form == 3:
        return [f"def {f}(g):", "    @functools.wraps(g)", "    def inner(*a, **k):", "        return [g(*a, **k), g.__name__ == inner.__name__]",
                "    return inner", f"@{f}", f"def {c}(v, w=1):", f"    return v * w + {w.name('int')}", f"{out} = {c}({w.expr('int')}, w=2)"]  # fmt: skip
    return [f"def {f}(times):", "    def deco(g):", "        return lambda *a: [g(*a)] * times", "    return deco",
            f"@{f}(2)", f"def {c}(v):", "    return v - 1", f"{out} = {c}({w.expr('int')})"]  # fmt: skip


def generator(w: Writer, depth: int) -> list[str]:
    g, out, form = w.fresh("gen"), w.new("list"), w.dice.randint(0, 7)
    n = w.dice.randint(0, 4)
    if form == 0:
        body = w.inside(lambda: w.block(0, 1), int=["i"])
        body = [line for line in body if "=" not in line.split("(")[0]] or ["    pass"]
        return [f"def {g}(n):", "    for i in range(n):", *[f"    {line}" for line in body], "        yield i * 2", "    yield -1",
                f"{out} = list({g}({n}))"]  # fmt: skip
    if form == 1:
        return [f"def {g}():", "    got = yield 1", "    while got:", "        got = yield got + 1", "    return 9",
                f"it{g} = {g}()", f"{out} = [next(it{g}), it{g}.send(4), it{g}.send(5)]", f"{out} += list(it{g})", f"del it{g}"]  # fmt: skip
    if form == 2:
        return [f"def {g}(v):", "    last = yield from v", "    yield last", f"{out} = list({g}({w.integers(0)}))"]
    if form == 3:
        return [
            f"it{g} = iter({w.integers(1)})",
            f"{out} = [next(it{g}, 'end'), *it{g}, next(it{g}, 'end')]",
            f"del it{g}",
        ]
    if form == 4:
        return [f"it{g} = (v * v for v in range(6))", f"{out} = []", f"for v in it{g}:", f"    {out}.append(v)", f"    if v > {n}:", "        break",
                f"{out}.append(next(it{g}, None))", f"{out} += it{g}", f"del it{g}"]  # fmt: skip
    if form == 5:
        return [f"def {g}():", "    i = 0", "    while True:", "        i += 1", "        yield i", f"it{g} = {g}()",
                f"{out} = [v for v, _ in zip(it{g}, range({n}))]", f"{out}.append(next(it{g}))", f"del it{g}"]  # fmt: skip
    if form == 6:
        return [f"def {g}():", "    try:", "        yield 1", "        yield 2", "    finally:", f"        {out}.append('closed')",
                f"{out} = []", f"it{g} = {g}()", f"{out}.append(next(it{g}))", f"it{g}.close()", f"del it{g}"]  # fmt: skip
    return [f"a{g}, b{g} = itertools.tee({w.integers(0)})", f"{out} = [next(a{g}, 0), *b{g}, *a{g}]", f"del a{g}, b{g}"]


def class_(w: Writer, depth: int) -> list[str]:
    return w.dice.choice(CLASSES)(w)


def plain_class(w: Writer) -> list[str]:
    c, d, o, out = w.fresh("C"), w.fresh("D"), w.fresh("o"), w.new("list")
    lines = [f"class {c}:", "    shared = []", f"    level = {w.literal('int')}", "    def __init__(self, v, w=2):",
             "        self.v, self.w = v, w", "        self.shared.append(v)", "    def total(self):", "        return self.v + self.w + self.level",
             "    @property", "    def double(self):", "        return self.v * 2", "    @double.setter", "    def double(self, x):",
             "        self.v = x // 2", "    @classmethod", "    def make(cls, n):", "        return cls(n, n)", "    @staticmethod",
             "    def twice(n):", "        return n * 2", f"class {d}({c}):", "    def __init__(self, *a, **k):", "        super().__init__(*a, **k)",
             f"        self.extra = {w.expr('int', 1)}", "    def total(self):", "        return super().total() + self.extra"]  # fmt: skip
    use = [f"{o} = {w.pick(c, d)}({w.expr('int')})", f"{o}.double = {w.literal('int')}", f"{o}.level += 1", f"{d}.level = 7",
           f"{out} = [{o}.total(), {d}.make(3).total(), {c}.twice(4), {o}.double, {d}(1, w=5).total(), len({c}.shared), isinstance({o}, {c})]"]  # fmt: skip
    return lines + use


def operators_class(w: Writer) -> list[str]:
    c, out = w.fresh("V"), w.new("list")
    a, b = w.literal("int"), w.literal("int")
    lines = [f"class {c}:", "    def __init__(self, v): self.v = v", f"    def __add__(self, o): return {c}(self.v + getattr(o, 'v', o))",
             f"    def __radd__(self, o): return {c}(o + self.v)", f"    def __mul__(self, o): return {c}(self.v * o)", "    __rmul__ = __mul__",
             "    def __iadd__(self, o):", "        self.v += 100", "        return self", f"    def __neg__(self): return {c}(-self.v)",
             "    def __eq__(self, o): return isinstance(o, type(self)) and self.v == o.v", "    def __lt__(self, o): return self.v < o.v",
             "    def __hash__(self): return hash(self.v)", "    def __len__(self): return abs(self.v)", "    def __bool__(self): return self.v > 2",
             "    def __contains__(self, x): return x == self.v", "    def __getitem__(self, i): return self.v + i",
             "    def __call__(self, x=1): return self.v - x", "    def __iter__(self): return iter([self.v, 1])", "    def __int__(self): return self.v",
             f"    def __sub__(self, o): return NotImplemented if isinstance(o, str) else {c}(0)", "    def __repr__(self): return f'V({self.v})'",
             "    def __matmul__(self, o): return self.v * 10 + o.v", "    def __index__(self): return 1", "    def __abs__(self): return 5",
             "    def __rsub__(self, o): return o - 1", "    def __format__(self, spec): return spec + str(self.v)"]  # fmt: skip
    x, y = w.fresh("x"), w.fresh("y")
    use = [f"{x}, {y} = {c}({a}), {c}({b})", f"{x} += 1", f"{out} = [({x} + {y}).v, (3 + {x}).v, (2 * {y}).v, (-{x}).v, {x} == {y}, {x} < {y}]",
           f"{out} += [len({x}), bool({y}), 4 in {x}, {x}[2], {y}(), list({x}), int({y}), sum([{x}, {y}]).v, {x} @ {y}, {x} != {y}]",
           f"{out} += [max({x}, {y}).v, sorted([{x}, {y}])[0].v, str({x}), f'{{{y}!r}}', [7, 8][{x}], abs({y}), {x} > {y}, not {y}, 9 - {x}]",
           f"{out} += [f'{{{x}:z}}', {y} in [{x}, {c}({b})], {{{x}: 1, {y}: 2}}.get({c}({b}), 0)]"]  # fmt: skip
    return lines + use


def dataclass_(w: Writer) -> list[str]:
    c, d, out = w.fresh("P"), w.fresh("Q"), w.new("list")
    options = w.pick("", "(frozen=True)", "(order=True)", "(kw_only=True)", "(slots=True)", "(eq=False)")
    call = f"{c}(v={w.expr('int')}, items=[1])" if "kw_only" in options else f"{c}({w.expr('int')}, [1])"
    post = [] if "frozen" in options else ["    def __post_init__(self):", "        self.items = [*self.items, self.v]"]
    lines = [f"@dataclasses.dataclass{options}", f"class {c}:", "    v: int", "    items: list = dataclasses.field(default_factory=list)",
             f"    scale: int = {w.literal('int')}", "    count: typing.ClassVar[int] = 4", *post, "    def area(self):", "        return self.v * self.scale"]  # fmt: skip
    x = w.fresh("p")
    use = [f"{x} = {call}", f"{out} = [{x}.area(), {x}.items, dataclasses.replace({x}, v=1).area(), dataclasses.asdict({x}), dataclasses.astuple({x})]",
           f"{out} += [{x} == dataclasses.replace({x}), [f.name for f in dataclasses.fields({x})], {x}.count, repr({x}), {c}.__name__]"]  # fmt: skip
    if options == "":
        lines += ["@dataclasses.dataclass", f"class {d}({c}):", "    extra: dataclasses.InitVar[int] = 3", "    made: int = dataclasses.field(init=False)",
                  "    def __post_init__(self, extra):", "        super().__post_init__()", "        self.made = extra + self.v"]  # fmt: skip
        use += [f"{out} += [{d}(1).made, {d}(2, extra=5).items, {d}(2, [], 4, 6).made]"]
    return lines + use


def tuples_(w: Writer) -> list[str]:
    c, out, x = w.fresh("T"), w.new("list"), w.fresh("t")
    if w.dice.random() < 0.5:
        lines = [
            f"class {c}(typing.NamedTuple):",
            "    a: int",
            "    b: int = 2",
            "    def add(self):",
            "        return self.a + self.b",
        ]
        more = f"{x}.add()"
    else:
        lines, more = [f"{c} = collections.namedtuple({c!r}, 'a b', defaults=[2])"], "0"
    use = [f"{x} = {c}({w.expr('int')})", f"{out} = [{x}.a, {x}[1], *{x}, {x}._replace(a=9), {x}._asdict(), {c}._fields, {more}, len({x}), {x} == (1, 2)]",
           f"{out} += [{c}(**{{'a': 1}}).b, {c}._make([3, 4]).a, {c}(*[5, 6])[::-1], isinstance({x}, tuple), {x} + (1,)]"]  # fmt: skip
    return lines + use


def enum_(w: Writer) -> list[str]:
    c, out = w.fresh("E"), w.new("list")
    base = w.pick("enum.Enum", "enum.IntEnum", "str, enum.Enum")
    values = ("'r'", "'g'") if "str" in base else ("1", w.pick("2", "enum.auto()"))
    lines = [
        f"class {c}({base}):",
        f"    RED = {values[0]}",
        f"    GREEN = {values[1]}",
        "    @property",
        "    def low(self):",
        "        return self.name.lower()",
    ]
    use = [f"{out} = [{c}.RED.name, {c}.GREEN.value, {c}({values[0]}).low, {c}['GREEN'] is {c}.GREEN, len({c}), [m.name for m in {c}]]",
           f"{out} += [{c}.RED == {c}.GREEN, {c}.RED in {c}, {{{c}.RED: 5}}[{c}.RED], isinstance({c}.RED, {c}), list({c}.__members__)]"]  # fmt: skip
    return lines + use


def attribute_class(w: Writer) -> list[str]:
    c, out, o = w.fresh("A"), w.new("list"), w.fresh("o")
    form = w.dice.randint(0, 6)
    if form == 0:
        return [f"class {c}:", "    def __init__(self): self.known = 1", "    def __getattr__(self, name):", "        if name.startswith('x'): return len(name)",
                "        raise AttributeError(name)", f"{o} = {c}()", f"{out} = [{o}.xyz, {o}.known, getattr({o}, 'zz', 5), hasattr({o}, 'xa'), hasattr({o}, 'b')]"]  # fmt: skip
    if form == 1:
        return [f"class {c}:", "    def __setattr__(self, name, v): super().__setattr__(name, v * 2)", f"{o} = {c}()", f"{o}.a = 4", f"setattr({o}, f'b{{1}}', 2)",
                f"{out} = [{o}.a, {o}.b1, sorted(vars({o}))]", f"del {o}.a", f"{out}.append(hasattr({o}, 'a'))"]  # fmt: skip
    if form == 2:
        return [f"class D{c}:", "    def __set_name__(self, owner, name): self.key = '_' + name", "    def __get__(self, obj, cls=None):",
                "        return self if obj is None else getattr(obj, self.key, 0) + 1", "    def __set__(self, obj, v): setattr(obj, self.key, v * 10)",
                f"class {c}:", f"    w = D{c}()", f"{o} = {c}()", f"{out} = [{o}.w]", f"{o}.w = 3", f"{out} += [{o}.w, {o}._w, {c}.w.key]"]  # fmt: skip
    if form == 3:
        return [f"class {c}:", "    kinds = {}", "    def __init_subclass__(cls, tag=None, **k):", "        super().__init_subclass__(**k)", "        cls.kinds[tag] = cls.__name__",
                f"class S{c}({c}, tag='s'): pass", f"class U{c}({c}): pass", f"{out} = [sorted(map(str, {c}.kinds)), {c}.kinds['s']]"]  # fmt: skip
    if form == 4:
        return [f"class {c}:", "    calls = 0", "    @functools.cached_property", "    def heavy(self):", f"        {c}.calls += 1", "        return [self.calls]",
                f"{o} = {c}()", f"{out} = [{o}.heavy, {o}.heavy is {o}.heavy, {c}.calls, 'heavy' in vars({o})]"]  # fmt: skip
    if form == 5:
        return [f"class M{c}(type):", "    def __new__(mcs, name, bases, d, **k):", "        d['tag'] = name.lower()", "        return super().__new__(mcs, name, bases, d)",
                "    def __call__(cls, *a):", "        made = super().__call__(*a)", "        made.seen = True", "        return made", "    def __len__(cls): return 3",
                f"class {c}(metaclass=M{c}):", "    def __init__(self, v): self.v = v", f"{out} = [{c}.tag, {c}(4).v, {c}(1).seen, len({c})]"]  # fmt: skip
    return [f"class {c}:", "    __slots__ = ('v',)", "    made = None", "    def __new__(cls, *a):", "        if cls.made is None: cls.made = super().__new__(cls)",
            "        return cls.made", "    def __init__(self, v): self.v = v", "    def __class_getitem__(cls, k): return k", f"{o} = {c}(1)",
            f"{out} = [{c}(5) is {o}, {o}.v, {c}['k']]"]  # fmt: skip


def containers_class(w: Writer) -> list[str]:
    c, out, o = w.fresh("B"), w.new("list"), w.fresh("o")
    form = w.dice.randint(0, 4)
    if form == 0:
        return [f"class {c}(dict):", "    def __missing__(self, k): return len(self)", "    def __getattr__(self, n): return self[n]", f"{o} = {c}(a={w.expr('int')})",
                f"{o}['b'] = 2", f"{out} = [{o}['zz'], {o}.a, len({o}), {o}.get('q', 3), list({o}), sorted({o}.values()), 'b' in {o}]"]  # fmt: skip
    if form == 1:
        return [f"class {c}(list):", "    def total(self): return sum(self)", "    def append(self, v): super().append(v + 1)", f"{o} = {c}([1, 2])", f"{o}.append(3)",
                f"{out} = [{o}.total(), len({o}), {o}[-1], {o}[:2], list(reversed({o}))]"]  # fmt: skip
    if form == 2:
        return [f"class {c}:", "    def __init__(self, n): self.n, self.i = n, 0", "    def __iter__(self): return self", "    def __next__(self):",
                "        if self.i >= self.n: raise StopIteration", "        self.i += 1", "        return self.i", f"{out} = [*{c}(3), sum({c}(2)), list(zip({c}(2), 'ab'))]",
                f"for v in {c}(3):", f"    {out}.append(v)", f"a{o}, *b{o} = {c}(3)", f"{out} += [a{o}, b{o}, max({c}(4)), 2 in {c}(3)]"]  # fmt: skip
    if form == 3:
        return [
            f"{o} = collections.defaultdict(list)",
            f"for v in {w.integers(1)}:",
            f"    {o}[v % 3].append(v)",
            f"{out} = [dict({o}), len({o}), {o}.get(7), sorted({o})]",
        ]
    return [f"{o} = collections.OrderedDict(a=1, b=2)", f"{o}.move_to_end('a')", f"{o}['c'] = {w.expr('int')}", f"{out} = [list({o}), {o}.popitem(last=False), len({o})]",
            f"q{o} = collections.deque([1, 2, 3], maxlen=3)", f"q{o}.append(4)", f"q{o}.appendleft(0)", f"q{o}.rotate(1)", f"{out} += [list(q{o}), q{o}[0], q{o}.pop(), q{o}.popleft(), len(q{o})]"]  # fmt: skip


def functools_(w: Writer) -> list[str]:
    f, out = w.fresh("fn"), w.new("list")
    form = w.dice.randint(0, 4)
    if form == 0:
        return [f"count{f} = 0", f"@functools.{w.pick('lru_cache', 'cache', 'lru_cache(maxsize=None)')}", f"def {f}(n):", f"    global count{f}", f"    count{f} += 1",
                f"    return n if n < 2 else {f}(n - 1) + {f}(n - 2)", f"{out} = [{f}(5), {f}(4), count{f}]"]  # fmt: skip
    if form == 1:
        return ["@functools.singledispatch", f"def {f}(v): return 'other'", f"@{f}.register", "def _(v: int): return 'int'", f"@{f}.register(list)",
                "def _(v): return 'list'", f"{out} = [{f}(1), {f}([]), {f}('s'), {f}(True)]"]  # fmt: skip
    if form == 2:
        return [
            f"class {f}:",
            "    def show(self, a, b=1): return a * 10 + b",
            "    plus = functools.partialmethod(show, 2)",
            f"{out} = [{f}().plus(), {f}().plus(b=5)]",
        ]
    if form == 3:
        return [
            f"def {f}(a, b, c=3): return [a, b, c]",
            f"p{f} = functools.partial({f}, 1, c=7)",
            f"{out} = [p{f}(2), p{f}(2, c=8), p{f}.func is {f}, p{f}.args, p{f}.keywords]",
        ]
    return ["@functools.total_ordering", f"class {f}:", "    def __init__(self, v): self.v = v", "    def __lt__(self, o): return self.v < o.v",
            "    def __eq__(self, o): return self.v == o.v", f"{out} = [{f}(1) >= {f}(2), {f}(1) <= {f}(1), {f}(3) > {f}(2)]"]  # fmt: skip


CLASSES = [plain_class, operators_class, dataclass_, tuples_, enum_, attribute_class, containers_class, functools_]


def match_(w: Writer, depth: int) -> list[str]:
    r = w.new("str", "m")
    subject = w.pick(
        w.expr("int"),
        w.expr("list"),
        w.expr("dict"),
        w.expr("tuple"),
        f"[{w.expr('str')}, {w.expr('int')}]",
        w.expr("str"),
    )
    cases = ["0 | 1", "int(n) if n > 3", "[]", "[a]", "[a, b]", "[a, *rest]", "{'a': v}", "{'b': v, **more}", "str(s) if s", "(a, (b, c))", "[str(), int()]",
             "None", "bool()", "-1", "'a' | 'b'", "[1 | 2 as one, *_]", "{}", "int() | float()", "list() | tuple()"]  # fmt: skip
    lines = [f"{r} = 'no'", f"match {subject}:"]
    for i, case in enumerate(w.dice.sample(cases, 4)):
        lines += [f"    case {case}:", f"        {r} = 'case {i}'"]
    return [*lines, "    case _:", f"        {r} = 'rest'"]


def comprehension(w: Writer, depth: int) -> list[str]:
    out = w.new("list")
    form = w.pick(
        f"[[a, b] for a in {w.integers(0)} for b in range(a % 3)]",
        f"[[v for v in row if v] for row in [{w.expr('list')}, {w.expr('list')}]]",
        f"sorted({{str(v): v for v in {w.integers(1)}}}.items())",
        f"[f(2) for f in [lambda v, k=k: v + k for k in {w.expr('list', 1)}]]",
        f"list(zip({w.integers(0)}, {w.expr('str')}, range(9)))",
        f"[*map(lambda a, b: a + b, {w.expr('list')}, {w.expr('tuple')})]",
        f"[(i, v) for i, v in enumerate({w.integers(1)}) if i % 2 == 0]",
        f"list(map(sum, zip(*[{w.expr('list')}, {w.expr('list')}])))",
    )
    return [f"{out} = {form}"]


def delete(w: Writer, depth: int) -> list[str]:
    name = w.fresh("gone")
    return [f"{name} = {w.expr('list')}", f"{w.new('list')} = {name}", f"del {name}"]


SIMPLE = [assign, again, augmented, change, change, taken]
STATEMENTS = [
    *SIMPLE, assign, assign, unpack, chained, if_, if_, for_, for_, while_, try_, try_, with_, function, function, closure,
    generator, generator, class_, class_, class_, match_, comprehension, comprehension, delete,
]  # fmt: skip
