"""Enumerations: what `enum.EnumType` makes of a class body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..domain.mixed import IntMember, StrMember
from ..domain.values import (
    ABSENT,
    Args,
    Bound,
    Builtin,
    ClassMethod,
    ClassV,
    DictV,
    FunctionV,
    Instance,
    Partial,
    Property,
    StaticMethod,
    Unknown,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from .machine import Machine

ENUM = "enum.Enum"

DESCRIPTORS = (FunctionV, Wrapped, Property, StaticMethod, ClassMethod, ClassV, Bound, Builtin, Partial)
"""What a class body may hold besides members."""


Member = (IntMember, StrMember)


def is_enum(cls: ClassV) -> bool:
    """Whether a class is an enumeration."""
    return cls.derives(ENUM)


def make_members(m: Machine, cls: ClassV) -> None:
    """Turn the plain values of a new enumeration's body into its members."""
    members = DictV()
    cls.attributes["__members__"] = members
    last: Value = 0
    for name, value in list(cls.attributes.items()):
        if not isinstance(name, str) or name.startswith("_") or isinstance(value, DESCRIPTORS):
            continue
        if isinstance(value, Instance) and value.cls.qualname == "enum.auto":
            value = following(cls, name, last)
        last = value
        same = of_value(m, cls, value)
        member = make(m, cls, name, value) if same is ABSENT else same
        members.items[name] = cls.attributes[name] = member


def following(cls: ClassV, name: str, last: Value) -> Value:
    """The value of `auto()` after the value `last` (`Enum._generate_next_value_`)."""
    if cls.derives("enum.StrEnum"):
        return name.lower()
    if not isinstance(last, int):
        return Unknown("an automatic value")
    if cls.derives("enum.Flag"):
        return 2 ** last.bit_length()
    return last + 1


def make(m: Machine, cls: ClassV, name: str, value: Value) -> Value:
    """One member."""
    member: Any
    if isinstance(value, int) and not isinstance(value, bool) and any(map(cls.derives, ("int", "enum.Flag"))):
        member = IntMember(value)
    elif isinstance(value, str) and cls.derives("str"):
        member = StrMember(value)
    else:
        return make_object(m, cls, name, value)
    member.cls, member.name = cls, name
    return member


def make_object(m: Machine, cls: ClassV, name: str, value: Value) -> Instance:
    """A member of a plain enumeration; a tuple is what its constructor takes."""
    member = Instance(cls)
    member.attributes.update(name=name, value=value, _name_=name, _value_=value)
    init = cls.lookup("__init__")
    if isinstance(init, FunctionV):
        m.call(Bound(init, member), Args(list(value) if isinstance(value, tuple) else [value]))
    return member


def members(cls: ClassV) -> tuple[Value, ...]:
    """The members in order, aliases left out."""
    listed = cls.attributes.get("__members__")
    return tuple({id(v): v for v in listed.items.values()}.values()) if isinstance(listed, DictV) else ()


def value_of(member: Value) -> Value:
    """The value of a member."""
    if isinstance(member, IntMember):
        return int(member)
    return str(member) if isinstance(member, StrMember) else member.attributes["value"]


def of_value(m: Machine, cls: ClassV, value: Value) -> Value:
    """The member with a known value, as `Class(value)` gives it; ABSENT if there is none."""
    from .comparisons import compare

    for member in members(cls):
        if member is value or compare(m, "==", value_of(member), value) is True:
            return member
    return ABSENT


def look_up(m: Machine, cls: ClassV, value: Value) -> Value:
    """`Class(value)`: a member; for an unknown value, an unknown one."""
    value = m.state.resolve(value)
    found = of_value(m, cls, value)
    return Unknown(cls.name) if found is ABSENT else found


def of_member(m: Machine, member: Value, name: str) -> Value:
    """`member.name` for a member that is a number or a text; ABSENT for attributes of its number or text."""
    from .attributes import bound

    if name in ("name", "_name_"):
        return member.name
    if name in ("value", "_value_"):
        return value_of(member)
    found = member.cls.lookup(name)
    return ABSENT if found is ABSENT else bound(m, found, member)
