"""Expressions, by the kind of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .writer import Writer

KINDS = ("int", "str", "list", "dict", "tuple", "set", "bool", "float")


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
