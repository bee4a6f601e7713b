"""NumPy arrays, as far as autograd is concerned: memory that a tensor may share without its counter seeing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tensors import Storage
from .values import Object

if TYPE_CHECKING:
    from .machine import Machine


class NDArray(Object):
    """An array over `storage`. Nothing is known of its shape or content."""

    __slots__ = ("storage",)

    def __init__(self, storage: Storage) -> None:
        super().__init__()
        self.storage = storage


def fresh(m: Machine) -> NDArray:
    """An array of its own."""
    return NDArray(Storage(m.site))


def view(a: NDArray) -> NDArray:
    """An array over the same memory."""
    return NDArray(a.storage)


def write(m: Machine, a: NDArray, via: str) -> None:
    """Change the array's memory; no version counter moves."""
    m.grad.write_silently(a.storage, via)
