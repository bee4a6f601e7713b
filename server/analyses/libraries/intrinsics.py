"""Functions that let polyfills say what Python can't: `from gradguard import linked, …`.

    from gradguard import linked, written

    def ema_update(average, new):           # a library's C++ kernel, of which Python sees nothing:
        written(average, "ema_update")      # it writes its first argument,
        return linked(new, saves=[new])     # and returns a tensor whose node has saved the second one

For runs under real Python and PyTorch, the tests give each function a meaning of its own
(`tests/frameworks/gradguard.py`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...syntax import ir
from ..autograd.tensors import Node, Tensor
from ..domain.modules import is_model
from ..domain.registry import model
from ..domain.values import (
    Args,
    Bound,
    ClassMethod,
    ClassV,
    DictV,
    FunctionV,
    Instance,
    Phi,
    StaticMethod,
    Unknown,
    Value,
    Wrapped,
)
from ..operators import calls_by_name, joins
from ..operators.conversions import guess
from ..python import sequences
from ..python.annotations import unknown_arguments
from .torch import formulas

if TYPE_CHECKING:
    from ..python.machine import Machine


@model("gradguard.linked")
def linked(m: Machine, args: Args) -> Value:
    """`linked(*values)`: a new tensor whose graph leads to the tensors in `values`, and saves nothing of theirs.

    Keyword arguments: `saves` has those values that backward needs unchanged, `saves_result` says whether it needs the
    result, and `like` is a tensor with the shape and dtype of the result. `real` is a function that computes it under
    real Python; it isn't replayed, which saves its time where the other arguments tell what it does.
    """
    found = calls_by_name.resolved(m, args)
    if found is None:
        return calls_by_name.split(m, args, partial(linked, m))
    return computed(m, found)


def computed(m: Machine, args: Args) -> Tensor:
    """The new tensor, once it is known which tensors the arguments are."""
    given = [one for v in args.pos for one in tensors(m, v)]
    made = formulas.linked(m, given)
    node = made.grad_fn
    if isinstance(node, Node):
        node.called = called(m)
        for t in tensors(m, args.kw.get("saves", ())):
            m.grad.save(node, t, "input")
        if m.state.pick(args.kw.get("saves_result")) is True:
            m.grad.save(node, made, "result")
    like = m.state.pick(args.kw.get("like"))
    if isinstance(like, Tensor):
        made.geometry_, made.dtype_ = like.geometry_, like.dtype_
    return made


def called(m: Machine) -> str | None:
    """The program's name for the library function that it has called."""
    site = m.here.site
    func = site.node.func if site is not None and isinstance(site.node, ir.Call) else None
    return func.attr if isinstance(func, ir.Attribute) else func.id if isinstance(func, ir.Name) else None


def tensors(m: Machine, v: Value) -> list[Tensor]:
    """The tensors in a value; an unknown value counts as one if it has a history, or was used as a tensor."""
    found = []
    for _, one in sequences.inside(m, v):
        if isinstance(one, Tensor):
            found.append(one)
        elif isinstance(one, Unknown) and (one.tensor is not None or one.history is not None):
            found.append(m.as_tensor(one))
    return found


@model("gradguard.view_of")
def view_of(m: Machine, args: Args) -> Value:
    """`view_of(t)`: a view of `t`, of some other shape."""
    t = m.state.resolve(args[0])
    if isinstance(t, Phi):
        return joins.each(m, t, lambda one: view_of(m, Args([one])))
    if not isinstance(t, Tensor):
        return Unknown("a view")
    made = m.grad.view(t, None)
    m.grad.set_history(made, m.grad.node("AliasBackward0", [t], m.grad.requires_grad(t)))
    return made


@model("gradguard.maybe_view_of")
def maybe_view_of(m: Machine, args: Args) -> Value:
    """`maybe_view_of(t)`: a view of `t` or a copy, depending on its layout in memory; a guess."""
    t = m.state.resolve(args[0])
    if isinstance(t, Phi):
        return joins.each(m, t, lambda one: maybe_view_of(m, Args([one])))
    if not isinstance(t, Tensor):
        return Unknown("a view or a copy")
    return Phi(guess("it is a view", t, m), view_of(m, args), formulas.linked(m, [t]))


@model("gradguard.written")
def written(m: Machine, args: Args) -> Value:
    """`written(t, by)`: the library changes `t` in place and moves its counter; `by` is reported as the cause.

    What `real=…` computes under real Python isn't replayed.
    """
    t, by = m.state.resolve(args[0]), m.state.pick(args.get(1, "by", "in place"))
    if isinstance(t, Phi):
        m.state.each(t, lambda one: written(m, Args([one, by])))
    elif isinstance(t, Tensor):
        m.grad.bump(t, str(by), by="library")
    return None


@model("gradguard.named")
def named(m: Machine, args: Args) -> Value:
    """`named(t, name)`: `t`, which messages call `name` unless the program has given it a name of its own."""
    t, name = m.state.resolve(args[0]), m.state.pick(args[1])
    if isinstance(t, Tensor) and t.label is None and isinstance(name, str):
        m.state.note(t, "label", name)
    return args[0]


@model("gradguard.known")
def known(m: Machine, args: Args) -> Value:
    """`known(v)`: whether the replay knows the value `v`, so that a condition on it needn't be followed both ways."""
    v = m.state.resolve(args[0])
    return not isinstance(v, (Unknown, Phi))


@model("gradguard.unknown")
def unknown(m: Machine, args: Args) -> Value:
    """`unknown(what, number=False)`: a value of which nothing is known, or only that it is a number."""
    what = args[0] if args.pos else ""
    return Unknown(what if isinstance(what, str) else "", number=args.kw.get("number") is True)


@model("gradguard.data")
def data(m: Machine, args: Args) -> Value:
    """`data(what)`: data from outside, whose tensors don't require grad."""
    what = args[0] if args.pos else "data"
    return Unknown(what if isinstance(what, str) else "data", data=True)


def function_of(m: Machine, v: Value) -> Value:
    """The function behind a method, descriptors and decorators."""
    v = m.state.pick(v)
    while isinstance(v, (Wrapped, Bound, StaticMethod, ClassMethod)):
        v = v.function
    return v


@model("gradguard.from_outside")
def from_outside(m: Machine, args: Args) -> Value:
    """`from_outside(f, *given)`: the result of `f` for the arguments `given`, and unknown ones for the rest."""
    f, given = args[0], args.pos[1:]
    inner = function_of(m, f)
    if not isinstance(inner, FunctionV):
        return m.call(f, Args(given, open_=True, site=m.here.site))
    more = unknown_arguments(m, inner, isinstance(m.state.pick(f), Bound) + len(given))
    return m.call(f, Args([*given, *more.pos], more.kw, site=m.here.site))


@model("gradguard.accepts")
def accepts(m: Machine, args: Args) -> Value:
    """`accepts(f, name)`: whether a function of the program has a parameter of that name."""
    f, name = function_of(m, args[0]), m.state.pick(args[1])
    if not isinstance(f, FunctionV):
        return Unknown(f"whether it takes {name}")
    params = f.node.params
    named = any(p.name == name for p in (*params.posonly, *params.args, *params.kwonly))
    return named or params.kwarg is not None


@model("gradguard.arguments_of_caller")
def arguments_of_caller(m: Machine, args: Args) -> Value:
    """`arguments_of_caller()`: the arguments of the program's function that has called the model.

    A dict by parameter names, without a method's object.
    """
    frame = m.here.caller
    f = frame.function if frame is not None else None
    if frame is None or f is None:
        return DictV()
    params = f.node.params
    names = [p.name for p in (*params.posonly, *params.args, *params.kwonly)]
    if f.cls is not None:
        del names[:1]
    return DictV({name: m.state.resolve(frame.variables.get(name)) for name in names})


@model("gradguard.defined")
def defined(m: Machine, args: Args) -> Value:
    """`defined(obj, name)`: whether the program itself defines a method, not only the library."""
    obj, name = m.state.resolve(args[0]), m.state.resolve(args[1])
    cls = obj.cls if isinstance(obj, Instance) else obj
    found = function_of(m, cls.lookup(name)) if isinstance(cls, ClassV) else None
    return isinstance(found, FunctionV) and not is_model(found.chunk)


@model("gradguard.takes")
def takes(m: Machine, args: Args) -> Value:
    """`takes(f, n)`: whether a function of the program can be called with `n` positional arguments."""
    f, n = m.state.pick(args[0]), m.state.pick(args[1])
    inner = function_of(m, f)
    if not isinstance(inner, FunctionV) or not isinstance(n, int):
        return True
    params = inner.node.params
    positional = [*params.posonly, *params.args][isinstance(f, Bound) :]
    needed = sum(p.default is None for p in positional)
    return needed <= n and (n <= len(positional) or params.vararg is not None)
