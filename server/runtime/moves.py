"""Tensors that were given other memory: `x.data = …`, `x.set_(…)`. Earlier writes there didn't change them."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, NamedTuple

from .graph import GIVES_SAVED

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from .contents import Print
    from .places import Trail


class Moved(NamedTuple):
    """A tensor was given other memory: when, by which line, and the key of the memory that it had before.

    `print` is the fingerprint of its content before a `.data = …`, which its version counter doesn't see.
    """

    time: int
    trail: Trail
    key: int
    print: Print | None


class Moves:
    """The moves of each tensor that is alive, by its `id`."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[weakref.ref[torch.Tensor], list[Moved]]] = {}

    def add(self, tensor: torch.Tensor, moved: Moved) -> None:
        """Note that a tensor has moved."""
        key = id(tensor)
        if key not in self.known or self.known[key][0]() is not tensor:
            self.known[key] = (weakref.ref(tensor, lambda _: self.known.pop(key, None)), [])
        self.known[key][1].append(moved)

    def since(self, tensor: torch.Tensor, time: int) -> list[Moved]:
        """The moves of a tensor after a time."""
        found = self.known.get(id(tensor))
        if found is None or found[0]() is not tensor:
            found = None if GIVES_SAVED else self._alike(tensor)
        return [one for one in found[1] if one.time > time] if found is not None else []

    def _alike(self, tensor: torch.Tensor) -> tuple[weakref.ref[torch.Tensor], list[Moved]] | None:
        """The moves of a tensor with the memory and the version of this one.

        Older releases of PyTorch unpack another Python object than the one that was saved (`GIVES_SAVED`).
        """
        for one in list(self.known.values()):
            other = one[0]()
            if other is not None and other._version == tensor._version and other.is_set_to(tensor):
                return one
        return None

    def homes(self, tensor: torch.Tensor, key: int, time: int) -> Iterator[tuple[int, int, float]]:
        """The keys of the memories that a tensor has had since a time, each with the times from and until it had it.

        `key` is that of its memory now.
        """
        for moved in self.since(tensor, time):
            yield moved.key, time, moved.time
            time = moved.time
        yield key, time, float("inf")

    def heirs(self, key: int, time: int) -> Iterator[tuple[torch.Tensor, int]]:
        """The tensors that had the memory of `key` and left it by `.data = …` since a time, and when they did.

        Such a tensor keeps its version counter (`set_data` in PyTorch's variable.cpp), and a node that saved it keeps
        the old memory with the same counter: a write to the tensor moves the counter of what was saved.
        """
        for find, moves in list(self.known.values()):
            for one in moves:
                if one.key == key and one.time > time and one.print is not None and (tensor := find()) is not None:
                    yield tensor, one.time
