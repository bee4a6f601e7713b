"""Calling a value: what kind of callable it is decides who replays the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import Tensor
from ..domain.known import attribute, key_of
from ..domain.paths import Raised
from ..domain.values import (
    ABSENT,
    Args,
    Bound,
    Builtin,
    ClassMethod,
    ClassV,
    FunctionV,
    Instance,
    Lib,
    Partial,
    Phi,
    StaticMethod,
    Unknown,
    Value,
    Wrapped,
    contents,
)
from ..operators import joins, modules
from . import attributes, classes, decorators, functions, guesses, library, opaque, weights

if TYPE_CHECKING:
    from .machine import Machine


def call(m: Machine, f: Value, args: Args) -> Value:
    """`f(*args)`; an unknown callable gives an unknown result and changes nothing."""
    f = m.state.resolve(f)
    if isinstance(f, FunctionV):
        return functions.call(m, f, args)
    if isinstance(f, Bound):
        if isinstance(f.function, Lib):
            return library.call_method(m, f.function.name, contents(f.self), args)
        inner = args.prepend(f.self)
        return call(m, f.function, inner)
    if isinstance(f, Builtin):
        return library.replayed(m, f.call, args)
    if isinstance(f, Lib):
        return library.call(m, f.name, args)
    if isinstance(f, ClassV):
        return classes.instantiate(m, f, args)
    if isinstance(f, Phi):
        return joins.each(m, f, lambda one: call(m, one, args))
    if isinstance(f, Instance):
        return call_instance(m, f, args)
    if isinstance(f, Partial):
        both = Args([*f.args.pos, *args.pos], {**f.args.kw, **args.kw}, f.args.open or args.open, args.site)
        return call(m, f.function, both)
    if isinstance(f, Wrapped):
        return decorators.call(m, f, args)
    if isinstance(f, (StaticMethod, ClassMethod)):
        return call(m, f.function, args)
    return unknown_result(m, f, args)


def call_instance(m: Machine, f: Instance, args: Args) -> Value:
    """Call an object: a module's forward with its hooks, a class's own `__call__`, or its library's model."""
    own = called(m, f)
    if own is not ABSENT:
        return call(m, attributes.bound(m, own, f), args)
    if f.cls.derives("torch.nn.Module"):
        return modules.call(m, f, args)
    return library.call_object(m, f, args)


def called(m: Machine, f: Instance) -> Value:
    """The `__call__` of an object's class, ABSENT for none. Raises Raised if one object leads to another for ever."""
    own = m.state.resolve(f.cls.lookup("__call__"))
    passed = {f.cls}
    following = own
    while isinstance(following, Instance):
        if following.cls in passed:
            raise Raised(None, "RecursionError")
        passed.add(following.cls)
        following = m.state.resolve(following.cls.lookup("__call__"))
    return own


def unknown_result(m: Machine, f: Value, args: Args) -> Value:
    """The result of an unknown callable, which is unknown as well."""
    if not isinstance(f, Unknown):
        return Unknown()
    if f.of is not None and guesses.shows_tensor(m, f, args):
        return call(m, attributes.get(m, m.sure_tensor(f.of), attribute(f.key) or ""), args)
    known = not any(isinstance(a, (Tensor, Instance)) for a in args)
    key = ("call", f.key, *(key_of(a) for a in args), m.work.moment) if known else None
    result = Unknown(f"{f.why}(…)" if f.why else "", key, number=f.number, result=opaque.is_model(f))
    method = attribute(f.key)
    if method is not None and functions.looks_up(method, args):
        made = functions.or_option(m, result, args.pos[1])
        if made is not result:
            return made
    if result.result:
        result.history = opaque.history(m, result, f.why, args)
        if result.history is not None:
            weights.save(m, result.history, f)
    elif method == "step":
        weights.step(m, f)
    elif not result.number:
        result.moved = guesses.moves(f)
        opaque.linked(m, result, f.why, args, f)
    return result
