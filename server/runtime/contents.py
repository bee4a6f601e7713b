"""What saved tensors held before a change that their version counter doesn't see: copies of their memory.

Such changes go through `.data`, through memory shared with NumPy or DLPack, or come from a fused kernel; and no counter
is compared for what a hook of the program's keeps of a saved tensor:

    y = x.exp()             # saves `y`
    y.data.mul_(2)          # writes the memory of `y`, not its counter: the memory is copied first
    y.sum().backward()      # before it, what the nodes saved is compared with the copy: `y` has changed

Before an operation writes so, one copy is taken for all that was saved until then. Python and C write without any
operation: memory that they can reach is copied when an operation that may save it takes it. The comparison is by
content, so that what was written and put back is no alarm. Copies are bounded; of one that was dropped nothing is
reported.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable
    from weakref import ref

BUDGET = 256 << 20
"""how many bytes all copies may have"""
LARGEST = 64 << 20
"""how many bytes a storage may have to be copied"""


@dataclass(slots=True)
class Copy:
    """What a storage held until `time`, on the recorder's clock."""

    storage: torch.UntypedStorage
    time: int


class Contents:
    """The copies by storage, each known by its key (`Memory.key`)."""

    def __init__(self) -> None:
        self.copies: OrderedDict[int, list[Copy]] = OrderedDict()
        self.bytes = 0
        self.latest = 0
        """the time of the latest change: whatever was saved after it is unchanged"""
        self.exported: set[int] = set()
        """storages that Python and C can write to"""
        self.twins: set[int] = set()
        """storages that a tensor was given by `set_`, as `copy.copy` does: that tensor has a counter of its own"""
        self.packed: dict[int, list[ref[torch.Tensor]]] = {}
        """by storage the tensors there that hooks keep for backward"""

    def copy(self, key: int, storage: torch.UntypedStorage, time: int, since: int) -> None:
        """Copy what a storage holds before it changes at `time`.

        Not if there is a copy from after `since`, the time of the newest node: nothing was saved after that copy.
        """
        self.latest = time
        known = self.copies.get(key, [])
        if (known and known[-1].time > since) or not 0 < storage.nbytes() <= LARGEST:
            return
        self.copies.setdefault(key, known).append(Copy(storage.clone(), time))  # type: ignore[no-untyped-call]
        self.copies.move_to_end(key)
        self.bytes += storage.nbytes()
        while self.bytes > BUDGET:
            self.drop(next(iter(self.copies)))

    def export(self, key: int, storage: torch.UntypedStorage, time: int) -> None:
        """Copy what an exported storage holds at `time`, unless the last copy has the same: then that is the copy."""
        known = self.copies.get(key)
        if known and _same(known[-1].storage, storage):
            known[-1].time = self.latest = time
        else:
            self.copy(key, storage, time, time)

    def pack(self, key: int, tensors: list[ref[torch.Tensor]]) -> None:
        """Note that a hook keeps tensors in a storage."""
        self.packed[key] = [one for one in self.packed.get(key, ()) if one() is not None] + tensors

    def is_packed(self, key: int) -> bool:
        """Whether a hook still keeps a tensor in a storage."""
        return any(one() is not None for one in self.packed.get(key, ()))

    def drop(self, key: int) -> None:
        """Forget the copies of a storage."""
        self.bytes -= sum(copy.storage.nbytes() for copy in self.copies.pop(key, ()))

    def keep(self, alive: Iterable[int]) -> None:
        """Forget all storages but those that are alive."""
        alive = set(alive)
        for key in [key for key in self.copies if key not in alive]:
            self.drop(key)
        self.exported &= alive
        self.twins &= alive
        self.packed = {key: tensors for key, tensors in self.packed.items() if key in alive}

    def before(self, key: int, time: int) -> torch.UntypedStorage | None:
        """What a storage held at a time: its first copy from after that; None if there is none, so it is unchanged."""
        return next((copy.storage for copy in self.copies.get(key, ()) if copy.time > time), None)

    def changed(self, tensor: torch.Tensor, key: int, time: int) -> bool:
        """Whether a tensor holds something else now than its memory did at the time when it was saved."""
        was = self.before(key, time)
        if was is None:
            return False
        then = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        then.set_(was, tensor.storage_offset(), tensor.size(), tensor.stride())
        return not _same_numbers(then, tensor)


def _same(one: torch.UntypedStorage, other: torch.UntypedStorage) -> bool:
    return one.nbytes() == other.nbytes() and bool(torch.equal(_bytes(one), _bytes(other)))


def _bytes(storage: torch.UntypedStorage) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)


def _same_numbers(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors hold the same numbers; where the second has NaN, any number is the same."""
    return bool(((one == other) | (other != other)).all())


class Print(NamedTuple):
    """A checksum of a tensor's content, and its dtype; two tensors with the same content have the same."""

    dtype: torch.dtype
    number: int

    def fits(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor holds the same, even in another dtype (`module.double()`)."""
        return fingerprint(tensor.detach().to(self.dtype)) == self


def fingerprint(tensor: torch.Tensor) -> Print:
    """The checksum of a tensor's content, whatever its strides."""
    flat = tensor.detach().contiguous().reshape(-1).view(torch.uint8) if tensor.numel() else tensor.new_empty(0)
    data: Any = flat.cpu().numpy()
    return Print(tensor.dtype, zlib.crc32(data) if flat.numel() else 0)
