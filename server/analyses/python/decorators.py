"""Decorators, and calls of what they made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..domain import budget, registry
from ..domain.known import key_of
from ..domain.values import (
    ABSTRACT,
    Args,
    Bound,
    Builtin,
    ClassMethod,
    ClassV,
    DictV,
    FunctionV,
    Generator,
    Instance,
    Lib,
    Partial,
    Property,
    StaticMethod,
    Unknown,
    Value,
    Wrapped,
)
from . import attempts, contexts, types

if TYPE_CHECKING:
    from collections.abc import Callable

    from .machine import Machine


CACHE = "functools.lru_cache"


def decorate(m: Machine, decorator: Value, value: Value) -> Value:
    """`decorator(value)`. An unknown decorator is assumed to call what it wraps and to change nothing."""
    decorator = m.state.resolve(decorator)
    if isinstance(decorator, Lib):
        if decorator.name == "property":
            return Property(value)
        if decorator.name.endswith("cached_property"):
            return Property(value, cached=getattr(value, "name", None))
        if decorator.name == "staticmethod":
            return StaticMethod(value)
        if decorator.name == "classmethod":
            return ClassMethod(value)
        if decorator.name in DISPATCH:
            return Wrapped(value, decorator.name, [])
        if decorator.name == "abc.abstractmethod" and isinstance(value, FunctionV):
            m.state.set(value.attributes, ABSTRACT, True)
        if decorator.name in KERNELS:
            return Unknown("a kernel")
        if registry.function(decorator.name) is None:
            return value
    if isinstance(decorator, ClassV) and contexts.modes_of(decorator) is not None:
        return Wrapped(value, decorator.qualname) if not isinstance(value, ClassV) else value
    if isinstance(decorator, Instance) and contexts.modes_of(decorator.cls) is not None:
        contexts.take_back(m, decorator)
        return Wrapped(value, decorator.cls.qualname, decorator) if not isinstance(value, ClassV) else value
    if isinstance(decorator, contexts.Managed) or is_context_decorator(decorator):
        return Wrapped(value, "contextlib.ContextDecorator", decorator)
    if isinstance(decorator, (FunctionV, Bound, Builtin, ClassV, Instance, Lib, Partial, Wrapped)):
        args = Args([value], site=m.here.site)
        made = attempts.limited_call(m, budget.LIMITS.decorating_steps, decorator, args, None)
        return value if isinstance(made, Unknown) or made is None else made
    return value


def call(m: Machine, f: Wrapped, args: Args) -> Value:
    """Call what a decorator wrapped, under what the decorator does."""
    if f.by == "contextlib.contextmanager":
        return contexts.Managed(m.call(f.function, args), lambda: call(m, f, args))
    if f.by == CACHE:
        return cached(m, f, args)
    if f.by in DISPATCH:
        return m.call(chosen(m, f, args), args)
    if isinstance(f.data, contexts.Managed):
        return contexts.within(m, f.data.again(), lambda _: m.call(f.function, args))
    manager = f.data if isinstance(f.data, Instance) else m.call(registry.class_named(m, f.by), Args())
    made = contexts.within(m, manager, lambda _: m.call(f.function, args))
    return resumed_within(m, made, manager) if isinstance(made, Generator) else made


def is_context_decorator(v: Value) -> bool:
    """Whether an object is a manager that may decorate functions, which then run inside it."""
    return isinstance(v, Instance) and v.cls.derives("contextlib.ContextDecorator")


KERNELS = frozenset({"triton.jit", "triton.runtime.jit.jit", "triton.runtime.jit", "numba.cuda.jit"})
"""Decorators of functions that run on a device: their arguments are addresses there, not tensors."""

DISPATCH = {"functools.singledispatch": 0, "functools.singledispatchmethod": 1}
"""Decorators that choose a function by the class of one argument, with the place of that argument."""


def chosen(m: Machine, f: Wrapped, args: Args) -> Value:
    """The function that a generic one calls: that of the argument's nearest class, or the general one."""
    place = DISPATCH[f.by]
    fits = [
        (cls, function)
        for cls, function in f.data
        if len(args.pos) > place and types.check(m, args.pos[place], cls) is True
    ]
    for cls, function in fits:
        if not any(isinstance(c, ClassV) and c is not cls and cls in c.mro[1:] for c, _ in fits):
            return function
    return fits[0][1] if fits else f.function


def register(m: Machine, f: Wrapped, args: Args) -> Value:
    """`@generic.register(cls)`, or `@generic.register` of a function that annotates its first argument."""
    first = m.state.resolve(args[0])
    if len(args.pos) > 1:
        m.state.note(f, "data", [*f.data, (first, args[1])])
        return args[1]
    if not isinstance(first, FunctionV):
        return Builtin("register", lambda machine, inner: register(machine, f, Args([first, *inner.pos])))
    params = [*first.node.params.posonly, *first.node.params.args][DISPATCH[f.by] :]
    if params and params[0].annotation is not None:
        m.state.note(f, "data", [*f.data, (m.eval(params[0].annotation), first)])
    return first


def resumed_within(m: Machine, generator: Generator, manager: Value) -> Generator:
    """A generator that runs under a mode, while its consumer doesn't (`torch.no_grad` of a generator)."""

    def run(consume: Callable[[Value], Value]) -> Value:
        outside = dict(m.grad.mode)

        def one(v: Value) -> Value:
            inside = dict(m.grad.mode)
            m.grad.set_modes(outside)
            try:
                return consume(v)
            finally:
                m.grad.set_modes(inside)

        return contexts.within(m, manager, lambda _: generator.run(one))

    return Generator(run)


def cached(m: Machine, f: Wrapped, args: Args) -> Value:
    """A call of a function under `functools.lru_cache`: the same arguments give the same value."""
    key = (*map(key_of, args.pos), *((k, key_of(v)) for k, v in sorted(args.kw.items())))
    store: DictV = f.data
    if key not in store.items:
        m.state.set(store.items, key, m.call(f.function, args))
    return m.state.resolve(store.items[key])
