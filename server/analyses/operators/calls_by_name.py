"""PyTorch's functions, methods and operators on tensors: from a dotted name and arguments to the replay of its fact.

`x + y` is `torch.add`, `x += y` is `torch.Tensor.add_`. Where an argument is one of several tensors (a `Phi`), the call
is replayed for each of them, and what comes out is joined again (`joins.py`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from .. import shapes
from ..autograd.tensors import Tensor
from ..domain import budget
from ..domain.values import Args, Cond, Instance, Lib, ListV, Phi, Unknown, Value, leaves
from . import cases, joins, replay, rules
from .arrays import NDArray
from .call import NONE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...facts.model import Op
    from .interpreter import Interpreter

OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "//": "floor_divide",
    "%": "remainder",
    "**": "pow",
    "@": "matmul",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "bitwise_left_shift",
    ">>": "bitwise_right_shift",
}


def resolved(m: Interpreter, args: Args) -> Args | None:
    """The arguments with every Phi resolved; None if one is still open."""
    if not any(isinstance(v, (Phi, tuple, ListV)) for v in args):
        return args
    pos = [m.state.resolve(v) for v in args.pos]
    kw = {k: m.state.resolve(v) for k, v in args.kw.items()}
    every = (*pos, *kw.values())
    if any(type(v) is Phi for v in every) or any(open_inside(m, v) is not None for v in every):
        return None
    kw = {k: vague(m, v) for k, v in kw.items()}
    return Args([vague(m, v) for v in pos], kw, args.open, args.site, args.exprs)


def split(m: Interpreter, args: Args, run: Callable[[Args], Value]) -> Value:
    """Call `run` for each alternative of the first argument that has several."""
    for i, v in enumerate(args.pos):
        v = m.state.resolve(v)
        if type(v) is Phi:
            return joins.each(m, v, lambda one, i=i: run(replaced(args, i, one)))  # type: ignore[misc]
    for k, v in args.kw.items():
        v = m.state.resolve(v)
        if type(v) is Phi:
            return joins.each(m, v, lambda one, k=k: run(replaced(args, k, one)))  # type: ignore[misc]
    inside = next((phi for v in args if (phi := open_inside(m, m.state.resolve(v))) is not None), None)
    return joins.each(m, inside, lambda _: run(args)) if inside is not None else run(args)


def vague(m: Interpreter, v: Value) -> Value:
    """A list or tuple with one tensor in place of several that open conditions decide between."""
    if not isinstance(v, (tuple, ListV)):
        return v
    items = cases.items_of(m, v) if isinstance(v, ListV) else v
    told = tuple(one_of_many(m, m.state.resolve(one)) for one in items)
    if all(a is b for a, b in zip(told, items, strict=True)):
        return v
    return ListV(told) if isinstance(v, ListV) else told


def one_of_many(m: Interpreter, v: Value) -> Value:
    """A copy of whichever tensor the open conditions choose: its graph leads to each of them under its own conditions.

    Picking one of them would mix what holds under its conditions with what holds under the others'.
    """
    if type(v) is not Phi or not any(isinstance(t, Tensor) for _, t in m.state.alternatives(v)):
        return v
    made = m.grad.tensor()
    m.state.put(made, Tensor.grad_fn, history(m, v))
    return made


def history(m: Interpreter, v: Value) -> Value:
    """The nodes of one of several tensors, under the conditions that choose it; None where it requires no grad."""
    if type(v) is Phi:
        return Phi(v.cond, history(m, v.then), history(m, v.orelse))
    return m.grad.node("CloneBackward0", [v], m.grad.requires_grad(v)) if isinstance(v, Tensor) else None


def open_inside(m: Interpreter, v: Value) -> Phi | None:
    """A Phi inside a list or tuple of tensors, or as a list's content, if only a few conditions decide them all."""
    if not isinstance(v, (tuple, ListV)):
        return None
    items = m.state.resolve(v.items) if isinstance(v, ListV) else v
    if type(items) is Phi and any(isinstance(t, Tensor) for t in m.state.tuple_of(items)):
        return items if len(m.state.alternatives(items)) <= 2**budget.LIMITS.open_conditions else None
    conditions: set[Cond] = set()
    first: Phi | None = None
    for one in items if isinstance(items, tuple) else ():
        phi = m.state.resolve(one)
        if type(phi) is Phi:
            ways = m.state.alternatives(phi)
            if any(isinstance(t, Tensor) for _, t in ways):
                first = first or phi
                conditions.update(cond for guards, _ in ways for cond, _ in guards)
    return first if len(conditions) <= budget.LIMITS.open_conditions else None


def replaced(args: Args, at: int | str, value: Value) -> Args:
    """The arguments with another value at a position or keyword."""
    if isinstance(at, str):
        return Args(args.pos, {**args.kw, at: value}, args.open, args.site, args.exprs)
    return Args([*args.pos[:at], value, *args.pos[at + 1 :]], args.kw, args.open, args.site, args.exprs)


def call(m: Interpreter, name: str, args: Args) -> Value:
    """Call a function of PyTorch, or one that works alike, by its dotted name; an unknown one's result is unknown."""
    op = m.own_fact(name) or m.facts.table.operator(name)
    if op is None and m.numbers is None and not name.endswith("_"):
        return Unknown(f"{cases.called(name)}(…)")
    plain = resolved(m, args)
    if plain is None and op is not None and m.numbers is None:
        args = alike(m, op, args)
        plain = resolved(m, args)
    if plain is None:
        return split(m, args, lambda one: call(m, name, one))
    if m.numbers is not None:
        return m.numbers.through(name, plain, lambda: operate(m, name, op, plain))
    return operate(m, name, op, plain)


def alike(m: Interpreter, op: Op, args: Args) -> Args:
    """The arguments with any number in place of one of several, where a call does the same with each of them."""
    return unified(m, op, args, ()) if is_plain(op.name) else args


def unified(m: Interpreter, op: Op, args: Args, apart: Sequence[str]) -> Args:
    """The arguments with any number in place of one of several, but for those that cases ask for, and those `apart`."""
    asked = {*apart, *(test.param for case in op.cases for test in case.tests)}
    names = [p.name for p in op.params if not p.variadic]
    pos = [v if name in asked else settled(m.state.resolve(v)) for name, v in zip(names, args.pos, strict=False)]
    kw = {name: v if name in asked else settled(m.state.resolve(v)) for name, v in args.kw.items()}
    return Args([*pos, *args.pos[len(pos) :]], kw, args.open, args.site, args.exprs)


@cache
def is_plain(name: str) -> bool:
    """Whether nothing but its fact says what an operator does: there are no rules for it, and none for its shapes."""
    return rules.of(name) is NONE and shapes.find(name) is None


def operate(m: Interpreter, name: str, op: Op | None, plain: Args) -> Value:
    """What a call does once no argument is an open choice; `op` is its fact."""
    if op is None:
        short = cases.called(name)
        if name.startswith("torch.Tensor.") and plain.pos:
            return unknown_method(m, short, plain[0])
        return unknown_function(m, short, plain)
    if op.params and plain.pos and unusable(m, plain[0], op):
        return Unknown(f"{cases.called(name)}(…)")
    if name.startswith("torch.nn.init."):
        with m.grad.within(grad=False):  # these functions see to it themselves
            return replay.apply(m, op, plain)
    return replay.apply(m, op, plain)


def unusable(m: Interpreter, first: Value, op: Op) -> bool:
    """Whether the first argument is something that no tensor operator takes (an object of the program)."""
    return isinstance(first, (Instance, NDArray)) and op.params[0].name in ("input", "self")


def unknown_function(m: Interpreter, short: str, args: Args) -> Value:
    """A function without a fact: its result is new, and it changes nothing unless its name says so."""
    if short.endswith("_") and not short.endswith("__"):
        for t in cases.tensors_in(m, args.get(0, "input")):
            m.grad.bump(t, short)
            return t
    return Unknown(f"{short}(…)")


def unknown_method(m: Interpreter, short: str, t: Value) -> Value:
    """A method of a tensor without a fact; if its name ends in an underscore, it changes the tensor."""
    if short.endswith("_") and not short.startswith("_") and isinstance(t, Tensor):
        m.grad.bump(t, short)
        return t
    return Unknown(f".{short}(…)")


def call_method(m: Interpreter, name: str, t: Value, args: Args) -> Value:
    """Call a method of a tensor."""
    inner = args.prepend(t)
    if name.endswith("_") and not name.endswith("__"):
        with m.here.writing(m.here.node, args.receiver, name):
            return call(m, f"torch.Tensor.{name}", inner)
    if m.facts.table.operator(f"torch.Tensor.{name}") is None and m.facts.table.operator(f"torch.{name}") is not None:
        return call(m, f"torch.{name}", inner)
    return call(m, f"torch.Tensor.{name}", inner)


def operator(m: Interpreter, op: str, a: Value, b: Value) -> Value:
    """`a op b` with at least one tensor."""
    if isinstance(a, NDArray) or isinstance(b, NDArray):
        b = Unknown("an array", data=True) if isinstance(b, NDArray) else b
        a = m.as_tensor(Unknown("an array", data=True)) if isinstance(a, NDArray) else a
    name = OPERATORS[op]
    if not isinstance(a, Tensor):
        if op == "-" or op == "/":
            return reflected(m, op, a, b)
        if op in ("+", "*", "&", "|", "^"):
            a, b = b, a
    if isinstance(b, (ListV, str)) or isinstance(a, (ListV, str)):
        return Unknown()
    if op == "@":
        return m.call(Lib("torch.matmul"), Args([a, b]))
    return call(m, f"torch.{name}", Args([a, b]))


def settled(v: Value) -> Value:
    """An operand that is one of several numbers becomes any number: autograd doesn't care which one it is."""
    if type(v) is Phi and all(isinstance(x, (int, float, Unknown)) and not is_tensor(x) for x in leaves(v)):
        return next((x for x in leaves(v) if isinstance(x, Unknown) and not x.number), Unknown("a number", number=True))
    return v


def is_tensor(v: Value) -> bool:
    """Whether an unknown value has been used as a tensor."""
    return isinstance(v, Unknown) and (v.tensor is not None or v.parameter)


def reflected(m: Interpreter, op: str, a: Value, b: Value) -> Value:
    """`number - tensor` and `number / tensor`, which PyTorch writes as other operators."""
    if op == "-":
        return call(m, "torch.rsub", Args([b, a]))
    reciprocal = call(m, "torch.reciprocal", Args([b]))
    return call(m, "torch.mul", Args([reciprocal, a]))


def in_place_operator(m: Interpreter, op: str, t: Tensor, operand: Value) -> Value:
    """`t op= operand`: the in-place method, where there is one; `@=` binds a new tensor."""
    if op == "@":
        return operator(m, op, t, operand)
    if isinstance(operand, NDArray):
        operand = m.as_tensor(Unknown("an array", data=True))
    return call(m, f"torch.Tensor.{OPERATORS[op]}_", Args([t, operand]))
