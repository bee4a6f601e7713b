"""Python's builtin names."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from ..domain import registry
from ..domain.values import Lib, Unknown, Value

if TYPE_CHECKING:
    from .machine import Machine

NAMES = frozenset(dir(builtins))


def builtin(m: Machine, name: str) -> Value:
    """What a name means if the program doesn't bind it: a builtin, or something unknown."""
    if name not in NAMES:
        return Unknown(name, ("name", name))
    cls = getattr(builtins, name)
    if isinstance(cls, type) and issubclass(cls, BaseException):
        for c in cls.__mro__[:-1]:
            registry.BASES.setdefault(c.__name__, tuple(b.__name__ for b in c.__bases__))
        return registry.class_named(m, name)
    if name == "object":
        return registry.class_named(m, "object")
    if name == "NotImplemented":
        return Unknown("NotImplemented")
    return Lib(name)
