"""Whether something that can be changed is behind a value, and whether two values can be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..domain.steps import Globals
from ..domain.values import (
    ABSENT,
    CONSTANTS,
    DATACLASS,
    FIELDS,
    GIVEN,
    SUBCLASSES,
    Bound,
    ClassMethod,
    ClassV,
    FunctionV,
    Lib,
    ModuleV,
    Phi,
    Property,
    StaticMethod,
    Unknown,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class Kinds:
    """Tells what is behind names: something that stays as it is, or something that can be changed."""

    def __init__(self) -> None:
        self.fixed: dict[int, Value] = {}
        """by identity, for tuples share parts: nothing that can be changed is behind these"""
        self.changing: dict[int, Value] = {}
        """something is behind these"""

    def is_fixed(self, v: Value) -> bool:
        """Return whether nothing that a program may change is behind a value; functions and classes do not change."""
        todo, seen = [v], {}
        while todo:
            one = todo.pop()
            kind = type(one)
            if kind in CONSTANTS or kind is Lib or kind is ModuleV or one is ABSENT:
                continue
            if id(one) in self.fixed or id(one) in seen:
                continue
            if kind not in _MADE_OF or id(one) in self.changing:
                self.changing[id(v)] = v
                return False
            seen[id(one)] = one
            todo += _MADE_OF[kind](one)
        self.fixed |= seen
        return True


def _of_function(f: FunctionV) -> Iterator[Value]:
    yield from f.defaults.values()
    yield from f.attributes.values()
    frame = f.parent
    while type(frame.variables) is not Globals:
        yield from frame.variables.values()
        if frame.parent is None:
            return
        frame = frame.parent


_NOTED = (SUBCLASSES, FIELDS, GIVEN, DATACLASS)

DEFINITIONS: dict[type, Callable[[Any], Iterable[Value]]] = {
    FunctionV: _of_function,
    ClassV: lambda v: (*v.bases, *(one for name, one in v.attributes.items() if name not in _NOTED)),
    Wrapped: lambda v: (v.function, v.data),
    Bound: lambda v: (v.function, v.self),
    Property: lambda v: (v.getter, v.setter),
    StaticMethod: lambda v: (v.function,),
    ClassMethod: lambda v: (v.function,),
}
_MADE_OF = {tuple: iter, Phi: lambda v: (v.then, v.orelse), **DEFINITIONS}


def is_same(one: Value, other: Value, compared: set[tuple[int, int]] | None = None) -> bool:
    """Whether two values cannot be told apart, whatever is done with them; pairs that were `compared` are."""
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is float or kind is complex:
        return repr(one) == repr(other)  # 0.0 is not -0.0, and nan is nan
    if kind in CONSTANTS:
        return bool(one == other)
    if one is ABSENT:
        return other is ABSENT
    if kind is Lib:
        return bool(one.name == other.name)
    if kind is Unknown:
        return all(getattr(one, name) == getattr(other, name) for name in Unknown.__slots__ if name != "born")
    if kind is tuple:
        compared = set() if compared is None else compared
        if (id(one), id(other)) in compared:
            return True
        compared.add((id(one), id(other)))
        return len(one) == len(other) and all(is_same(a, b, compared) for a, b in zip(one, other, strict=True))
    return one is other and (kind is ModuleV or kind in DEFINITIONS)


def is_same_member(one: Value, other: Value) -> bool:
    """Whether two members cannot be told apart, but for the class that they are of."""
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is FunctionV:
        plain = not one.attributes and not other.attributes and one.defaults.keys() == other.defaults.keys()
        same = one.node is other.node and one.parent is other.parent and one.wrappers == other.wrappers
        return plain and same and all(is_same(v, other.defaults[name]) for name, v in one.defaults.items())
    if kind is StaticMethod or kind is ClassMethod:
        return is_same_member(one.function, other.function)
    if kind is Property:
        accessors = ((one.getter, other.getter), (one.setter, other.setter))
        return one.cached == other.cached and all(is_same_member(*pair) for pair in accessors)
    return is_same(one, other)
