"""Watches PyTorch while a program runs: which line made each node of the graph, and which line wrote to each memory.

    y = x.exp()           # makes node 0: `made` says that `exp` made it, on this line
    y.add_(1)             # makes node 1, and writes the memory of `y`: version 0 → 1, on this line
    y.sum().backward()    # makes node 2, begins a backward, and raises: node 0 finds `y` at version 1

A dispatch mode sees each operation, including those of optimizers, `out=`, `.data` and backward itself. It changes
nothing: PyTorch counts versions, compares them and raises as it does without. What is noted is small, bounded, and
keeps no tensor alive:

- for each node, by its sequence number, the trail of the line that made it. An operation makes its node before it runs,
  so the number of the newest node is one less than the next (torch/csrc/autograd/function.h);
- for each storage, the last writes to it, with the version before and after. The storage is held by a weak reference;
  without one, another storage could get its address;
- for each node, by its sequence number, the backward that ran it (`torch._C._current_autograd_node`).

To begin a backward, PyTorch looks up the engine's `run_backward`; that look-up is noted (`watching.py`). No frame of
ours is on the stack while the program's own code runs, so its tracebacks stay as they are.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from itertools import count
from threading import get_ident
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.autograd import Function
from torch.utils._python_dispatch import TorchDispatchMode

from . import packs
from .contents import Contents
from .dispatch import Plan, are_inference, is_tensor, run, through_autograd, version
from .moves import Moved, Moves
from .places import Places, Trail

if TYPE_CHECKING:
    from types import FrameType

    from .contents import Print
    from .packs import Pack

MOST_NODES = 200_000
"""how many nodes of a thread are kept: the newest"""
MOST_THREADS = 8
"""how many threads that have ended are kept"""
MOST_WRITES = 64
"""how many writes to a storage are kept: the latest; earlier ones are only counted"""
MOST_STORAGES = 20_000
"""how many storages are kept before those that are gone are forgotten"""

_sequence: Any = torch._C._autograd._get_sequence_nr
_node = torch._C._current_autograd_node
_shares = torch._C._storage_Use_Count
_weak: Any = torch.UntypedStorage._weak_ref
_expired: Any = torch.UntypedStorage._expired
_forget: Any = torch.UntypedStorage._free_weak_ref

_alone = torch.empty(1)
_ASKING: int = _shares(_alone.untyped_storage()._cdata) - 1
"""by how much PyTorch's count of those that share a storage is too high: whoever asks counts, too"""

UNWATCHED = "TorchScript"
"""the name of the operation that stands for a call of TorchScript code"""

COPY = "clone"
"""the operation with which autograd begins if a formula needs what an in-place operation overwrites (`pow_`)"""


class Held(NamedTuple):
    """A tensor that an in-place operation took, and may have saved where Python can't look (see `Recorder._hold`).

    `role` is the parameter, `key` the storage, and `version` the version that it would have been saved at.
    """

    role: str
    key: int
    version: int
    shape: tuple[int, ...]
    dtype: str


class Made(NamedTuple):
    """An operation that made a node: when it ran, and the trail that led there."""

    time: int
    op: str
    trail: Trail
    held: tuple[Held, ...] = ()


class Written(NamedTuple):
    """A write to a storage: when, by which operation and line, and the version before and after it.

    `after` is predicted: PyTorch raises the counter by one after the operation, which can't be seen from here
    (torch/csrc/autograd/ADInplaceOrViewTypeManual.cpp).
    """

    time: int
    op: str
    trail: Trail
    before: int
    after: int


class Ran(NamedTuple):
    """A backward: when it began, and the trail that led there. `keeps`: it was asked to retain the graph."""

    time: int
    trail: Trail
    keeps: bool


class State(NamedTuple):
    """What is known before a call that isn't watched: the next node's number, and the versions of its arguments."""

    sequence: int
    tensors: list[tuple[torch.Tensor, int]]


class Memory:
    """The writes to one storage. Its weak reference, `key`, keeps its address from being given to another storage."""

    __slots__ = ("key", "number", "reach", "writes")

    def __init__(self, storage: torch.UntypedStorage) -> None:
        self.key: int = _weak(storage)
        address = storage.data_ptr()
        self.reach = range(address, address + storage.nbytes())
        """the addresses of its bytes, some of which several storages may have in common (NumPy, DLPack)"""
        self.writes: deque[Written] = deque(maxlen=MOST_WRITES)
        self.number = 0

    @property
    def is_gone(self) -> bool:
        """Whether nothing holds this storage any more."""
        return bool(_expired(self.key))

    def __del__(self, forget: Any = _forget) -> None:
        forget(self.key)  # a default, because the names of modules may be gone when Python ends


class Thread:
    """The nodes that one thread made: each thread numbers its own."""

    __slots__ = ("made", "next", "packs", "trail")

    def __init__(self) -> None:
        self.made: dict[int, Made] = {}
        self.packs: dict[int, list[Pack]] = {}
        """of nodes whose saved tensors went through a hook of the program's, what that keeps"""
        self.next = -1
        """the number that the next node gets"""
        self.trail: Trail = ()
        """the trail that led to the last node"""


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes what a program does while the mode is active; `silent` also looks for changes that no counter sees.

    Begin reading with `__torch_dispatch__`. An `Inspector` later asks for `made`, `writes`, `ran` and `changed`.
    """

    supports_higher_order_operators = True

    def __init__(self, silent: bool = True) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.places = Places(os.path.dirname(torch.__file__), Function)
        self.clock = count(1)
        self.threads: dict[int, Thread] = {}
        self.ended: deque[Thread] = deque(maxlen=MOST_THREADS)
        """those whose number another has now, the latest first"""
        self.memories: dict[int, Memory] = {}
        self.ran: dict[int, Ran] = {}
        """the last backward that ran a node, by the node's sequence number"""
        self.views: dict[int, tuple[str, Trail]] = {}
        """the last view of a storage that was made without a node, by the storage's key"""
        self.plans: dict[Any, Plan] = {}
        self.contents = Contents() if silent else None
        self.moves = Moves()
        self.backward: Ran | None = None
        self.before: dict[Trail, int] = {}
        """when the last backward before the current one began, by its trail"""
        self.newest = 0
        """the time of the newest node"""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # otherwise each operation would go through one more function; see `watching._skip_dynamo`

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """True: what is compiled stays compiled. Otherwise PyTorch would run it line by line: another program."""
        return True

    @classmethod
    def is_infra_mode(cls) -> bool:
        """The same in releases such as PyTorch 2.8, which have only this way to say so."""
        return not hasattr(TorchDispatchMode, "ignore_compile_internals")

    # -- operations --------------------------------------------------------------------------------

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation, note what it makes and writes, and return its result."""
        kwargs = kwargs or {}
        plan = self.plans.get(func)
        if plan is None:
            plan = self.plans[func] = Plan(func)
        ident = get_ident()
        thread = self.threads.get(ident)
        if thread is None:
            thread = self.threads[ident] = Thread()
        node, sequence = _node(), _sequence()
        if node is not None and self.backward is not None:
            self.ran[node._sequence_nr()] = self.backward
        made = sequence != thread.next
        if made:
            thread.next, thread.trail = sequence, self.places.trail(sys._getframe(1))
            self._make(thread, sequence - 1, plan, args)
        if plan.enters or are_inference(args):
            return self._let_through(func, args, kwargs)
        if plan.written:
            trail = thread.trail if made else self.places.trail(sys._getframe(1))
            if trail is thread.trail:
                self._hold(thread, plan, args, kwargs)
            return self._write(func, plan, trail, args, kwargs)
        if plan.is_view and not made and node is None and not torch.is_grad_enabled():
            return self._view(plan, func(*args, **kwargs), sys._getframe(1))
        return run(func, plan, args, kwargs)

    def _make(self, thread: Thread, number: int, plan: Plan, args: Any) -> None:
        self.newest = time = next(self.clock)
        thread.made[number] = Made(time, plan.name, thread.trail)
        if len(thread.made) > MOST_NODES:
            _shorten(thread.made)
            _shorten(self.ran)
        if self.contents is not None and self.contents.exported:
            self._keep_exported(args)

    def _hold(self, thread: Thread, plan: Plan, args: Any, kwargs: Any) -> None:
        """Note what an in-place operation on a view may save: PyTorch hides its node inside one that changes the base.

        The operation that made the node may have been a copy of the target, which comes first (`COPY`).
        """
        target = plan.argument(plan.written[0], args, kwargs)
        made = thread.made.get(thread.next - 1)
        if made is None or not isinstance(target, torch.Tensor) or not target._is_view():
            return
        if not any(is_tensor(one) and one.requires_grad for one in args):
            return  # the node was made by another operation on the same line
        found = []
        for index, (role, tensor) in enumerate(zip(plan.names, args, strict=False)):
            memory = self.memory(tensor) if isinstance(tensor, torch.Tensor) else None
            if memory is not None:
                at = version(tensor) + (index in plan.written)  # it may save the result of what it writes
                found.append(Held(role, memory.key, at, tuple(tensor.shape), str(tensor.dtype)))
        thread.made[thread.next - 1] = made._replace(op=plan.name, held=tuple(found))

    def _write(self, func: Any, plan: Plan, trail: Trail, args: Any, kwargs: Any) -> Any:
        raised = plan.is_raised
        targets = [(t, self.memory(t), version(t) - raised, unseen) for t, unseen in plan.targets(args, kwargs)]
        if plan.switch is not None:
            self._forget_statistics({memory.key for _, memory, *_ in targets if memory is not None})
        if self.contents is not None:
            for tensor, memory, _, unseen in targets:
                if memory is not None and (unseen or self.hides(tensor, memory)):
                    self.contents.copy(memory.key, tensor.untyped_storage(), next(self.clock), self.newest)
        result = run(func, plan, args, kwargs)
        for tensor, memory, before, unseen in targets:
            if memory is not None:
                after = version(tensor) if plan.delegates else before + 1 - unseen
                memory.writes.append(Written(next(self.clock), plan.name, trail, before, after))
                memory.number += 1
        if plan.name == "set_":
            self._set(targets[0][0], targets[0][1], trail)
        return result

    def _forget_statistics(self, keys: set[int]) -> None:
        """Batch norm's node saves the statistics that its kernel writes, and backward reads them in eval mode alone."""
        found = self.threads[get_ident()].packs.get(_sequence() - 1)
        if found:
            found[:] = [one for one in found if one.key not in keys]

    def _set(self, tensor: torch.Tensor, before: Memory | None, trail: Trail) -> None:
        memory = self.memory(tensor)
        if memory is not None and before is not None:
            self.moves.add(tensor, Moved(next(self.clock), trail, before.key, None))
            if self.contents is not None:
                self.contents.twins.add(memory.key)

    def hides(self, tensor: torch.Tensor, memory: Memory) -> bool:
        """Whether a write to a tensor may change memory that others have, and that no counter of theirs tells of."""
        contents = self.contents
        known = contents is not None and (memory.key in contents.twins or contents.is_packed(memory.key))
        return known or _is_hidden(tensor, memory.key)

    def _view(self, plan: Plan, result: Any, frame: FrameType) -> Any:
        for tensor in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(tensor, torch.Tensor) and (memory := self.memory(tensor)) is not None:
                self.views[memory.key] = plan.name, self.places.trail(frame)
        if len(self.views) > MOST_STORAGES:
            _shorten(self.views)
        return result

    def _let_through(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operation that autograd hasn't seen: a library's, or one that takes only inference tensors.

        The operations that it calls then go through autograd. Below a mode that is left out; here it is put back.
        """
        before = self.state(args)
        try:
            with through_autograd():
                return func(*args, **kwargs)
        finally:
            self.catch_up(before, sys._getframe(2), func.name().rpartition("::")[2])

    # -- calls that are not watched ----------------------------------------------------------------

    def state(self, args: tuple[Any, ...]) -> State:
        """What `catch_up` compares with after a call with these arguments."""
        return State(_sequence(), [(one, version(one)) for one in args if is_tensor(one)])

    def catch_up(self, before: State, frame: FrameType, op: str = UNWATCHED) -> None:
        """Note what an unwatched call did: it made all new nodes, and all writes to its arguments.

        `before` is the state before the call, `frame` the one that called, `op` the name to report.
        """
        sequence = _sequence()
        trail = self.places.trail(frame)
        if sequence != before.sequence:
            thread = self.threads.setdefault(get_ident(), Thread())
            thread.next = sequence
            self.newest = time = next(self.clock)
            for number in range(max(before.sequence, sequence - MOST_NODES), sequence):
                thread.made[number] = Made(time, op, trail)
            if len(thread.made) > MOST_NODES:
                _shorten(thread.made)
        for tensor, earlier in before.tensors:
            later, memory = version(tensor), self.memory(tensor)
            if later != earlier and memory is not None:
                memory.writes.append(Written(next(self.clock), op, trail, earlier, later))
                memory.number += 1

    # -- memory ------------------------------------------------------------------------------------

    def memory(self, tensor: torch.Tensor) -> Memory | None:
        """What is known of a tensor's storage; None if it has none."""
        try:
            storage = tensor.untyped_storage()
            memory = self.memories.get(storage._cdata)
            if memory is None:
                if len(self.memories) >= MOST_STORAGES:
                    self.sweep()
                memory = self.memories[storage._cdata] = Memory(storage)
        except (RuntimeError, NotImplementedError, AttributeError, ValueError):  # sparse, wrapping, uninitialized
            return None
        return memory

    def sweep(self) -> None:
        """Forget the storages that are gone, and the copies of what they held."""
        for key in [key for key, memory in self.memories.items() if memory.is_gone]:
            del self.memories[key]
            self.views.pop(key, None)
        if self.contents is not None:
            self.contents.keep(self.memories)

    def _keep_exported(self, args: Any) -> None:
        assert self.contents is not None
        given = [one for arg in args for one in (arg if isinstance(arg, (list, tuple)) else (arg,))]
        for tensor in filter(is_tensor, given):
            memory = self.memory(tensor)
            if memory is not None and memory.key in self.contents.exported:
                self.contents.export(memory.key, tensor.untyped_storage(), next(self.clock))

    def export(self, tensor: torch.Tensor) -> None:
        """Note that from now on others than PyTorch can write to a tensor's memory."""
        memory = self.memory(tensor) if self.contents is not None else None
        if memory is not None and self.contents is not None:
            self.contents.exported.add(memory.key)
            self.contents.export(memory.key, tensor.untyped_storage(), next(self.clock))

    def pack(self, tensor: torch.Tensor, packed: object) -> None:
        """Note what a hook of the program's has given for a tensor, which the newest node saves."""
        number, memory = _sequence() - 1, self.memory(tensor)
        thread = self.threads.setdefault(get_ident(), Thread())
        row = thread.packs.setdefault(number, [])
        if len(thread.packs) > MOST_NODES:
            _shorten(thread.packs)
        if memory is not None and self.contents is not None:
            self.newest = time = next(self.clock)
            found = packs.kept(tensor, memory.key, packed, number, time)
            self.contents.pack(memory.key, [one.find for one in found])
            row += found

    def move(self, tensor: torch.Tensor, key: int, print_: Print, frame: FrameType) -> None:
        """Note that a tensor was given other memory by `.data = …`, on the line of `frame`.

        `key` is that of the memory that it had, `print_` the fingerprint of what that held.
        """
        time = next(self.clock)
        self.moves.add(tensor, Moved(time, self.places.trail(frame), key, print_))
        if self.contents is not None:
            self.contents.latest = time

    @property
    def may_be_silent(self) -> bool:
        """Whether anything may have changed that no counter saw."""
        return self.contents is not None and bool(self.contents.copies or self.moves.known)

    def changed(self, tensor: torch.Tensor, made: Made, packed: int = 0) -> bool:
        """Whether a tensor holds something else now than when `made` saved it, or a hook kept it at the time `packed`.

        An in-place operation that saves its result saves it after its own write.
        """
        memory = self.memory(tensor)
        if memory is None or self.contents is None:
            return False
        own = (write.time for write in memory.writes if self._is_own(write, made, tensor))
        since = packed or max(own, default=made.time)
        unseen = [one.print for one in self.moves.since(tensor, since) if one.print is not None]
        return not unseen[0].fits(tensor) if unseen else self.contents.changed(tensor, memory.key, since)

    def _is_own(self, write: Written, made: Made, tensor: torch.Tensor) -> bool:
        """Whether a write is by the operation that saved a tensor, before it saved; a Function saves at its end."""
        call = self.places.called(made.trail)
        inside = write.trail is made.trail and made.op in (write.op, COPY)
        if call is not made.trail:
            return write.time > made.time and self.places.called(write.trail) == call
        return inside and write.time > made.time and write.after == version(tensor)

    def writes(self, tensor: torch.Tensor, since: int, any_counter: bool = False) -> list[Written]:
        """The writes to a tensor's memory after a time, the earliest first.

        With `any_counter`, also those through other storages with some of the same bytes.
        """
        memory, found = self.memory(tensor), list[Written]()
        if memory is not None:
            for key, start, end in self.moves.homes(tensor, memory.key, since):
                for one in self._there(key, any_counter):
                    found += (write for write in one.writes if start < write.time <= end)
            for heir, moved in self.moves.heirs(memory.key, since):
                found += self.writes(heir, moved, any_counter) if heir is not tensor else ()
        return sorted(found)

    def _there(self, key: int, any_counter: bool) -> list[Memory]:
        memory = self.memories.get(key)
        if memory is None or not any_counter:
            return [memory] if memory is not None else []
        reach = memory.reach
        return [one for one in self.memories.values() if one is memory or (_meet(one.reach, reach) and not one.is_gone)]

    # -- nodes -------------------------------------------------------------------------------------

    def made(self, node: Any) -> Made | None:
        """The operation that made a node; None if that is unknown.

        A node whose own number isn't known was made by the same call as one with a number nearby. `CopySlices`, which
        changes a view's base, comes after the node of the in-place operation; other nodes come before one that their
        operation makes first.
        """
        number = node._sequence_nr()
        later = node.name().rpartition("::")[2].startswith(("CopySlices", "AsStrided"))
        near = (0, -1, -2) if later else (0, 1, 2, -1)
        for thread in self._threads():
            found = (thread.made.get(number + distance) for distance in near)
            if (made := next(filter(None, found), None)) is not None:
                return made
        return None

    def packs(self, node: Any) -> list[Pack] | None:
        """What hooks of the program's keep of what a node saves; None where none has taken it."""
        number = node._sequence_nr()
        made = (thread for thread in self._threads() if number in thread.made or number in thread.packs)
        return next((thread.packs.get(number) for thread in made), None)

    def _threads(self) -> list[Thread]:
        """All of them, the one that runs first."""
        own = self.threads.get(get_ident())
        others = [one for one in self.threads.values() if one is not own]
        return ([own] if own else []) + others + list(self.ended)

    def enter(self) -> None:
        """A thread begins, which may have the number of one that has ended; it counts its own nodes."""
        ended = self.threads.pop(get_ident(), None)
        if ended is not None:
            self.ended.appendleft(ended)

    def is_carried(self, made: Made) -> bool:
        """Whether a node is older than the last backward from the line of the current one: a loop carried it over."""
        return self.backward is not None and made.time < self.before.get(self.backward.trail, 0)

    def begin(self, frame: FrameType, keeps: bool) -> None:
        """Note that a backward begins, called from `frame`; `keeps`: it is asked to retain the graph."""
        if self.backward is not None:
            self.before[self.backward.trail] = self.backward.time
        self.backward = Ran(next(self.clock), self.places.trail(frame), keeps)
        if len(self.before) > MOST_STORAGES:
            _shorten(self.before)


def _meet(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)


def _is_hidden(tensor: torch.Tensor, key: int) -> bool:
    """Whether other tensors have a tensor's memory without being views of it, as those made by `.data` do."""
    base = tensor._base if tensor._is_view() else tensor
    if base is None or base.requires_grad or tensor.requires_grad:
        return False
    return bool(_shares(key) - _ASKING > (1 if base is tensor else 2))


def _shorten(table: dict[Any, Any]) -> None:
    """Forget the oldest quarter."""
    for key in list(table)[: len(table) // 4]:
        del table[key]
