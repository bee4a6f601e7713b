"""NumPy arrays, as far as autograd is concerned: memory that a tensor may share without its counter seeing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import Storage
from ..domain.values import ABSENT, Object, SliceV, Unknown, Value

if TYPE_CHECKING:
    from .interpreter import Interpreter


class NDArray(Object):
    """An array over `storage`; its shape and content are unknown."""

    __slots__ = ("storage",)

    def __init__(self, storage: Storage) -> None:
        super().__init__()
        self.storage = storage


def fresh(m: Interpreter) -> NDArray:
    """A new array with memory of its own."""
    return NDArray(Storage(m.here.site))


def view(a: NDArray) -> NDArray:
    """An array over the same memory."""
    return NDArray(a.storage)


def write(m: Interpreter, a: NDArray, via: str) -> None:
    """Change the array's memory; no version counter moves."""
    m.grad.write_silently(a.storage, via, m.here.written)


VIEWS = frozenset({"T", "mT", "real", "imag", "flat", "base"})
"""Attributes that are arrays over the same memory."""


def attribute(a: NDArray, name: str) -> Value:
    """An attribute that isn't a method; ABSENT for a method."""
    if name in VIEWS:
        return view(a)
    if name in ("shape", "size", "ndim", "dtype", "strides", "nbytes"):
        return Unknown(f"an array's {name}", ("array", a.uid, name), number=True)
    return ABSENT


def basic(index: Value) -> bool:
    """Whether an index gives a view: integers, slices, None and `...` alone."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(p is None or p is Ellipsis or isinstance(p, (int, SliceV, Unknown)) for p in parts)
