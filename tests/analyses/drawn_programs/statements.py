"""Statements: assignments, changes, control flow, and definitions from their own modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .classes import class_
from .expressions import some
from .functions import closure, function, generator

if TYPE_CHECKING:
    from .writer import Writer


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
