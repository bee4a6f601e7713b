"""Functions, closures, decorators and generators, each with what calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expressions import KINDS

if TYPE_CHECKING:
    from .writer import Writer


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
