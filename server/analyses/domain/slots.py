"""Slots: the state of a record, of which each part has a type and is written through the trail.

    class Counter(Object):
        __slots__ = ("current",)
        current: Slot[Version]

    counter.current                                # a Version, or a Phi of several
    state.put(counter, Counter.current, version)   # written so that it can be undone

At run time a slot is what `__slots__` makes of it: reading one costs no more than any attribute.
"""

from __future__ import annotations

from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from .values import Phi

T = TypeVar("T")

if TYPE_CHECKING:

    class Slot(Generic[T]):
        """A part of a record's state: a value, or a choice between several."""

        @overload
        def __get__(self, obj: None, owner: type[Any]) -> Slot[T]: ...
        @overload
        def __get__(self, obj: object, owner: type[Any] | None = None) -> T | Phi: ...
        def __get__(self, obj: object | None, owner: type[Any] | None = None) -> T | Phi | Slot[T]: ...
        def __set__(self, obj: object, value: T | Phi) -> None: ...

else:
    Slot = MemberDescriptorType
