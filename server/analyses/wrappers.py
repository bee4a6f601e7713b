"""Decorators, and calls of what they made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import contexts
from .models import registry
from .values import (
    Args,
    Bound,
    Builtin,
    ClassMethod,
    ClassV,
    FunctionV,
    Instance,
    Lib,
    Partial,
    Property,
    StaticMethod,
    Unknown,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from .machine import Machine


def decorate(m: Machine, decorator: Value, value: Value) -> Value:
    """`decorator(value)`. One that the replay doesn't know is taken to call what it wraps and change nothing."""
    decorator = m.state.resolve(decorator)
    if isinstance(decorator, Lib):
        if decorator.name == "property" or decorator.name.endswith("cached_property"):
            return Property(value)
        if decorator.name == "staticmethod":
            return StaticMethod(value)
        if decorator.name == "classmethod":
            return ClassMethod(value)
        if registry.function(decorator.name) is None:
            return value
    if isinstance(decorator, ClassV) and contexts.modes_of(decorator) is not None:
        return Wrapped(value, decorator.qualname) if not isinstance(value, ClassV) else value
    if isinstance(decorator, Instance) and contexts.modes_of(decorator.cls) is not None:
        return Wrapped(value, decorator.cls.qualname, decorator) if not isinstance(value, ClassV) else value
    if isinstance(decorator, (FunctionV, Bound, Builtin, ClassV, Instance, Lib, Partial, Wrapped)):
        made = m.call(decorator, Args([value], site=m.site))
        return value if isinstance(made, Unknown) or made is None else made
    return value


def call(m: Machine, f: Wrapped, args: Args) -> Value:
    """Call what a decorator wrapped, under what the decorator does."""
    if f.by == "contextlib.contextmanager":
        return contexts.Managed(m.call(f.function, args))
    manager = f.data if isinstance(f.data, Instance) else m.call(registry.class_named(m, f.by), Args())
    return contexts.within(m, manager, lambda _: m.call(f.function, args))
