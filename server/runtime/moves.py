"""Tensors given other memory: `x.data = …`, `x.set_(…)`. What was written there before did not change them."""

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
    """That a tensor was given other memory: when, by which line, and the key of the memory that it had.

    `print` is what its content was known by, where no counter tells of the change.
    """

    time: int
    trail: Trail
    key: int
    print: Print | None


class Moves:
    """The moves of each tensor, by its `id`."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[weakref.ref[torch.Tensor], list[Moved]]] = {}

    def add(self, tensor: torch.Tensor, moved: Moved) -> None:
        """Note one."""
        key = id(tensor)
        if key not in self.known or self.known[key][0]() is not tensor:
            self.known[key] = (weakref.ref(tensor, lambda _: self.known.pop(key, None)), [])
        self.known[key][1].append(moved)

    def since(self, tensor: torch.Tensor, time: int) -> list[Moved]:
        """Those of a tensor since a time."""
        found = self.known.get(id(tensor))
        if found is None or found[0]() is not tensor:
            found = None if GIVES_SAVED else self._alike(tensor)
        return [one for one in found[1] if one.time > time] if found is not None else []

    def _alike(self, tensor: torch.Tensor) -> tuple[weakref.ref[torch.Tensor], list[Moved]] | None:
        """Those of one that has the memory and the version of a tensor: PyTorch gives that for one it has saved."""
        for one in list(self.known.values()):
            other = one[0]()
            if other is not None and other._version == tensor._version and other.is_set_to(tensor):
                return one
        return None

    def homes(self, tensor: torch.Tensor, key: int, time: int) -> Iterator[tuple[int, int, float]]:
        """The memories that a tensor has had since a time, up to that of `key` now: from when each, and until when."""
        for moved in self.since(tensor, time):
            yield moved.key, time, moved.time
            time = moved.time
        yield key, time, float("inf")

    def heirs(self, key: int, time: int) -> Iterator[tuple[torch.Tensor, int]]:
        """The tensors that had a memory and were given another by `.data = …` since a time, and when.

        A tensor keeps its version counter then (`set_data` in PyTorch's variable.cpp), and what has saved the tensor
        keeps the memory: a write to the one counts for the other.
        """
        for find, moves in list(self.known.values()):
            for one in moves:
                if one.key == key and one.time > time and one.print is not None and (tensor := find()) is not None:
                    yield tensor, one.time
