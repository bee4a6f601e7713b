"""Values that are Python's own with something besides: tuples with names, members of enumerations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .values import ClassV


class NamedTuple(tuple):  # type: ignore[type-arg]
    """A tuple whose items have names; `cls` is its class, if the program defines that."""

    cls: ClassV | None = None
    named: tuple[str, ...]


class IntMember(int):
    """A member that is a number as well (`IntEnum`, `Flag`): its class and its name."""

    cls: ClassV
    name: str


class StrMember(str):
    """A member that is a text as well (`StrEnum`, `class A(str, Enum)`): its class and its name."""

    cls: ClassV
    name: str
