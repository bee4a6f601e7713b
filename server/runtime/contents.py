"""What saved tensors held, where their version counter cannot tell: copies taken just before such a change.

A change goes unseen by a counter that other tensors have: through `.data`, through NumPy's or DLPack's memory, by a
fused kernel; and nobody compares the counter of what a hook of the program's keeps for a saved tensor. Before an
operation writes so, the memory is copied, once for all that was saved up to then. What Python and C write themselves is
no operation: memory that they can reach is copied when an operation takes it that may save it. Before a backward what
its nodes have saved is compared with these copies; by content, so that what was written and put back is no alarm.
Copies are bounded; what had to be dropped is not told.
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
"""bytes of all copies"""
LARGEST = 64 << 20
"""bytes of the largest storage that is copied"""


@dataclass(slots=True)
class Copy:
    """What a storage held, up to `time`."""

    storage: torch.UntypedStorage
    time: int


class Contents:
    """The copies, by storage; `exported` are storages that Python and C can write to."""

    def __init__(self) -> None:
        self.copies: OrderedDict[int, list[Copy]] = OrderedDict()
        self.bytes = 0
        self.latest = 0
        """the time of the latest change: what was saved after it is as it was"""
        self.exported: set[int] = set()
        self.twins: set[int] = set()
        """storages that a tensor was given by `set_`, as `copy.copy` does: it has a counter of its own"""
        self.packed: dict[int, list[ref[torch.Tensor]]] = {}
        """by storage the tensors there that hooks keep for backward"""

    def copy(self, key: int, storage: torch.UntypedStorage, time: int, since: int) -> None:
        """Keep what a storage holds, unless there is a copy from after `since`, the time of the last node."""
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
        """Keep what memory holds that others can write to, unless it holds what the last copy does."""
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
        """Forget all storages but these."""
        alive = set(alive)
        for key in [key for key in self.copies if key not in alive]:
            self.drop(key)
        self.exported &= alive
        self.twins &= alive
        self.packed = {key: tensors for key, tensors in self.packed.items() if key in alive}

    def before(self, key: int, time: int) -> torch.UntypedStorage | None:
        """What a storage held when something was saved at a time: its first copy after that, if there is one."""
        return next((copy.storage for copy in self.copies.get(key, ()) if copy.time > time), None)

    def changed(self, tensor: torch.Tensor, key: int, time: int) -> bool:
        """Whether a tensor that was saved at a time holds something else now than its memory did."""
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
    """Whether two tensors hold the same; numbers that are none are the same as any."""
    return bool(((one == other) | (other != other)).all())


class Print(NamedTuple):
    """What tells a tensor's content from another, most likely."""

    dtype: torch.dtype
    number: int

    def fits(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor holds the same; in other digits, too (`module.double()`)."""
        return fingerprint(tensor.detach().to(self.dtype)) == self


def fingerprint(tensor: torch.Tensor) -> Print:
    """The print of a tensor as it is."""
    flat = tensor.detach().contiguous().reshape(-1).view(torch.uint8) if tensor.numel() else tensor.new_empty(0)
    data: Any = flat.cpu().numpy()
    return Print(tensor.dtype, zlib.crc32(data) if flat.numel() else 0)
