"""Python's own statements: blocks, functions, containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..program import Block
from ..scope import floating, with_grad

if TYPE_CHECKING:
    from ..chooser import Chooser
    from ..program import Drawn


MODES = ("no_grad()", "no_grad()", "enable_grad()", "set_grad_enabled(False)", "set_grad_enabled(True)")
MODES += ("inference_mode()", "autograd.set_grad_enabled(False)", "autograd.graph.save_on_cpu()")


def mode(c: Chooser) -> Drawn:
    return [Block(f"with torch.{c.chance.choice(MODES)}", ["pass"], c.chance.randint(1, 3))]


def branch(c: Chooser) -> Drawn:
    known = c.pick()
    tests = ["True", "False", *(f"{number} > 0" for number in c.scope.numbers)]
    tests += [f"{text} is not None" for text, _ in c.scope.tensors[-1:]]
    if known:
        tests += [f"{known[0]}.requires_grad", f"{known[0]}.ndim > 1", f"{known[0]}.is_leaf"]
    tests += [f"len({text}) > 1" for text, _ in c.scope.lists]
    return [Block(f"if {c.chance.choice(tests)}", ["pass"], c.chance.randint(1, 2))]


def loop(c: Chooser) -> Drawn:
    if len(c.around) >= 2:
        return None
    heads = [f"for {c.name('i')} in range({c.chance.randint(1, 3)})"] * 3
    heads += [f"for {c.name('x')} in {text}" for text, _ in c.scope.lists]
    known = c.pick(lambda t: t.ndim > 0 and 0 < t.shape[0] < 5)
    if known:
        heads += [f"for {c.name('x')} in {known[0]}", f"for {c.name('i')}, {c.name('x')} in enumerate({known[0]})"]
    return [Block(c.chance.choice(heads), ["pass"], c.chance.randint(1, 4))]


def while_loop(c: Chooser) -> Drawn:
    if len(c.around) >= 2:
        return None
    name = c.name("n")
    return [f"{name} = 0", Block(f"while {name} < {c.chance.randint(1, 3)}", [f"{name} += 1"], c.chance.randint(1, 3))]


def carried(c: Chooser) -> Drawn:
    known = c.pick(floating)
    if known is None or len(c.around) >= 2:
        return None
    state = c.name("x")
    step = f"{state} = {c.chance.choice(('{} * 0.5', '{}.tanh()', '{} + 1', '{} * {}')).replace('{}', state)}"
    block = Block(f"for {c.name('i')} in range({c.chance.randint(2, 3)})", [step], c.chance.randint(1, 3))
    return [f"{state} = {known[0]}{c.chance.choice(('', '.clone()', ' * 1', '.detach()'))}", block]


DECORATORS = ("", "", "", "", "@torch.no_grad()\n", "@torch.enable_grad()\n")


def function(c: Chooser) -> Drawn:
    known = [c.pick(), c.pick()]
    if None in known or len(c.around) >= 2:
        return None
    count = c.chance.randint(1, 2)
    name, params = c.name("f"), [c.name("p") for _ in range(count)]
    given = [text for text, _ in known[:count]]  # type: ignore[misc]
    if count == 2 and c.likely(0.3):
        given[1] = given[0]
    head = f"{c.chance.choice(DECORATORS)}def {name}({', '.join(params)})"
    return [
        Block(head, [f"return {c.chance.choice(params)}"], c.chance.randint(1, 4)),
        f"{c.name('x')} = {name}({', '.join(given)})",
    ]


def call_again(c: Chooser) -> Drawn:
    if not c.scope.functions:
        return None
    name, count = c.chance.choice(c.scope.functions)
    given = [known[0] for _ in range(count) if (known := c.pick())]
    return f"{c.result()} = {name}({', '.join(given)})"


def closure(c: Chooser) -> Drawn:
    known = c.pick(floating)
    if known is None or len(c.around) >= 1:
        return None
    name = c.name("f")
    change = c.chance.choice(("{}.mul_(2)", "{} * 2", "{}.exp()", "{}.add_(1)")).format(known[0])
    made = c.name("x")
    return [
        f"def {name}():\n    {made} = {change}\n    return {made}",
        f"{c.name('x')} = {name}()",
        *([f"{c.name('x')} = {name}()"] if c.likely(0.4) else []),
    ]


def container(c: Chooser) -> Drawn:
    if c.scope.lists and c.likely(0.5):
        text, value = c.chance.choice(c.scope.lists)
        known = c.pick()
        if isinstance(value, list) and known:
            forms = (f"{text}.append({known[0]})", f"{c.name('x')} = {text}.pop()", f"{text}[0] = {known[0]}")
            forms += (f"{c.name('x')} = sum({text})", f"{text} += [{known[0]}]", f"{c.name('x')} = torch.stack({text})")
            return c.chance.choice(forms)
        return f"{c.result()} = {text}[{c.chance.choice((0, -1))}]"
    first, second = c.pick(), c.pick()
    if first is None or second is None:
        return None
    forms = (
        "[{}, {}]",
        "({}, {})",
        '{{"a": {}, "b": {}}}',
        "[{}, {} * 2]",
        "[t * 2 for t in ({}, {})]",
        "[{}.clone(), {}]",
    )
    name = c.name("c")
    return f"{name} = {c.chance.choice(forms).format(first[0], second[0])}"


def foreach(c: Chooser) -> Drawn:
    if not c.scope.lists:
        return None
    text, _ = c.chance.choice(c.scope.lists)
    forms = (
        "for t in {}:\n    t.mul_(2)",
        "{n} = [t.exp() for t in {}]",
        "{n} = [t.add_(1) for t in {}]",
        "{n} = tuple({})",
    )
    forms += (
        "torch._foreach_mul_({}, 2)",
        "{n} = torch._foreach_exp({})",
        "{n} = torch.cat([t.reshape(-1) for t in {}])",
    )
    return c.chance.choice(forms).format(text, n=c.name("c"))


def checkpoint(c: Chooser) -> Drawn:
    known = c.pick(with_grad, floating)
    body = c.chance.choice(("t.exp()", "t.sin().exp()", "t * t", "t.clone().mul_(2).exp()"))
    reentrant = c.chance.choice(("True", "False"))
    return known and (
        f"{c.name('x')} = torch.utils.checkpoint.checkpoint(lambda t: {body}, {known[0]}, use_reentrant={reentrant})"
    )


def skipped(c: Chooser) -> Drawn:
    if not any(head.startswith(("for", "while")) for head in c.around[-1:]) or not c.scope.numbers:
        return None
    number = c.scope.numbers[-1]
    return f"if {number} == 1:\n    {c.chance.choice(('break', 'continue'))}"
