"""Sees what a program asks of torch, and reads from the graph what its nodes have saved."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from .answers import KINDS
from .tensors import address, copied, counts, grad_fn, storage_of, tensors_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from types import FrameType

    import torch

DEPTH = 64
"""so many nodes in a row are looked for that one call has made"""


@dataclass(slots=True)
class Unpacked:
    """A tensor that a node saved, as it was when the node was made. `tensor` shares its version counter."""

    attribute: str
    tensor: torch.Tensor
    version: int
    content: torch.Tensor
    memory: torch.UntypedStorage
    """where it was then, kept alive: `set_` gives the tensor another"""
    own: bool = False
    """whether it is scratch memory of the node, which no call took or gave: its backward may write there"""

    @property
    def storage(self) -> int:
        return address(self.memory)


@dataclass(slots=True)
class Made:
    """A node of the graph, the line that made it, what it saved, and how many bumps came before it."""

    node: Any
    line: str | None
    saved: list[Unpacked]
    bumps_before: int
    spoilt: bool = False
    """whether it saved something that its own call then changed"""


@dataclass(slots=True)
class Bump:
    """The storage whose counter moved (kept alive, so that no other gets its address), and the line that did it."""

    storage: torch.UntypedStorage
    line: str | None


@dataclass(slots=True)
class Recorder:
    """Sees every call of torch that a program makes: which nodes it makes, which counters it moves."""

    root: Path
    made: dict[int, Made] = field(default_factory=dict)
    bumps: list[Bump] = field(default_factory=list)
    moved: list[tuple[torch.UntypedStorage, torch.UntypedStorage]] = field(default_factory=list)
    """the memory that a tensor had, and what it was given instead, its counter the same (`.data = …`)"""
    roots: list[Any] = field(default_factory=list)
    """where the last backward began"""
    wanted: list[torch.Tensor] = field(default_factory=list)
    """the tensors whose gradients it was asked for, where it was asked for some"""
    silent: list[tuple[Made, Unpacked]] = field(default_factory=list)
    """tensors that a backward was about to use, changed without their counter moving"""
    changed: list[str] = field(default_factory=list)
    """the lines that have changed these"""
    unread: dict[int, list[tuple[Made, Unpacked]]] = field(default_factory=dict)
    """such tensors of custom functions, by node: their backward may not ask for them"""
    lost: set[str] = field(default_factory=set)
    """lines that read `.grad` of a non-leaf"""
    forward: str | None = None
    """the line that made the node which failed, where anomaly mode told it"""
    calls: list[tuple[str | None, int, set[int]]] = field(default_factory=list)
    """each call's line, the bumps before it and the storages that it touched"""

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make a call and note what it did to the graph and to version counters."""
        given = [tensor for tensor in tensors_in((args, kwargs)) if counts(tensor)]
        inputs = [(tensor, tensor._version, tensor.untyped_storage()) for tensor in given]
        statistics = [(tensor, copied(tensor)) for tensor in given if _writes_unseen(function)]
        memories = [address(memory) for *_, memory in inputs]
        twins = {id(tensor): copied(tensor) for i, tensor in enumerate(given) if memories.count(memories[i]) > 1}
        bumps_before, calls_before = len(self.bumps), len(self.calls)
        result = function(*args, **kwargs)
        line = self.line()
        outputs = tensors_in(result)
        touched = {storage_of(tensor) for tensor in (*given, *outputs)}
        within = touched.union(*(there for *_, there in self.calls[calls_before:]))
        self.calls.append((line, bumps_before, touched))
        self.bumps += [Bump(memory, line) for tensor, version, memory in inputs if tensor._version != version]
        after = [(memory, tensor.untyped_storage()) for tensor, _, memory in inputs if counts(tensor)]
        self.moved += [(old, new) for old, new in after if address(old) != address(new)]
        self.bumps += [Bump(tensor.untyped_storage(), line) for tensor, was in statistics if not tensor.equal(was)]
        unmoved = {id(tensor) for tensor, version, _ in inputs if tensor._version == version}
        before = {tensor: content for tensor, content in twins.items() if tensor in unmoved}
        for tensor in outputs:
            if counts(tensor):
                self.note(grad_fn(tensor), line, within, before, DEPTH)
        return result

    def note(self, node: Any, line: str | None, within: set[int], before: dict[int, torch.Tensor], depth: int) -> None:
        """Remember the nodes from `node` down that weren't there before: one call may make several.

        `within` are the storages that this call, and those that it made itself, took and gave. `before` has by `id` the
        content that operands had whose memory the call may have written behind their counters' backs.
        """
        if node is None or depth < 0 or id(node) in self.made:
            return
        unpacked = list(_unpack(node))
        saved = [
            replace(one, own=one.storage not in within, content=before.get(id(one.tensor), one.content))
            for one in unpacked
            if one is not None
        ]
        self.made[id(node)] = Made(node, line, saved, len(self.bumps), spoilt=len(saved) < len(unpacked))
        for earlier, _ in node.next_functions:
            self.note(earlier, line, within, before, depth - 1)

    def before_backward(self, outputs: Any, inputs: Any) -> None:
        """Look for saved tensors whose content is no longer what it was, while their version is."""
        self.roots = [grad_fn(tensor) for tensor in tensors_in(outputs)]
        self.wanted = tensors_in(inputs)
        self.unread = {}
        for made in self.reached():
            if not any(earlier is not None for earlier, _ in made.node.next_functions):
                continue  # it computes nothing
            # batch norm's kernel writes the running statistics, which its backward doesn't use in train mode
            kernel_writes = {"_saved_running_mean", "_saved_running_var"} if _in_train_mode(made.node) else set()
            for saved in made.saved:
                if saved.tensor._version == saved.version and not saved.own and saved.attribute not in kernel_writes:
                    now = copied(saved.tensor)
                    if now.shape == saved.content.shape and not bool(((now == saved.content) | now.isnan()).all()):
                        custom = saved.attribute == "saved_tensors"
                        if custom:
                            self.unread.setdefault(id(made.node), []).append((made, saved))
                        else:
                            self.add_silent(made, saved)

    def add_silent(self, made: Made, saved: Unpacked) -> None:
        """Note what is about to be used, and the lines that have changed it by now."""
        self.silent.append((made, saved))
        self.changed += self.changes(made, saved, {saved.storage})

    def read(self, node: Any) -> None:
        """A custom function's backward asks for what it has saved."""
        for made, saved in self.unread.pop(id(node), ()):
            self.add_silent(made, saved)

    def reached(self) -> list[Made]:
        """The known nodes that the last backward runs, or all where none was seen."""
        if not self.roots:
            return list(self.made.values())
        reached: dict[int, Any] = {}
        later: dict[int, list[int]] = {}
        todo = list(self.roots)
        while todo:
            node = todo.pop()
            if node is not None and id(node) not in reached:
                reached[id(node)] = node
                for earlier, _ in node.next_functions:
                    later.setdefault(id(earlier), []).append(id(node))
                    todo.append(earlier)
        run = self.leading(reached, later) if self.wanted else set(reached)
        return [made for made in self.made.values() if id(made.node) in run]

    def leading(self, reached: dict[int, Any], later: dict[int, list[int]]) -> set[int]:
        """The nodes that lead to one of the tensors whose gradients are wanted: the engine runs no others."""
        made = [grad_fn(tensor) for tensor in self.wanted]
        leaves = {id(tensor) for tensor, node in zip(self.wanted, made, strict=True) if node is None}
        goals = [id(node) for node in made if node is not None]
        goals += [key for key, node in reached.items() if id(getattr(node, "variable", None)) in leaves]
        found = set[int]()
        while goals:
            new = set(later.get(goals.pop(), ())) - found
            found |= new
            goals += new
        return found

    def stale(self) -> list[tuple[Made, Unpacked]]:
        """What the last backward would unpack although its version has moved."""
        return [(made, saved) for made in self.reached() for saved in made.saved if _is_stale(made.node, saved)]

    def changes(self, made: Made, saved: Unpacked, where: set[int] | None = None) -> list[str]:
        """The lines that moved a saved tensor's counter after it was saved; or wrote, through any, `where` it was."""
        where = self.followed({saved.storage}) if where is None else where
        return [b.line for b in self.bumps[made.bumps_before :] if b.line and address(b.storage) in where]

    def followed(self, memory: set[int]) -> set[int]:
        """Memory, and what tensors that were there have been given in its place."""
        found = set(memory)
        for old, new in self.moved:
            found |= {address(new)} if address(old) in found else set()
        return found

    def spoilt(self) -> tuple[str, ...]:
        """The lines whose operation saved what was changed where no counter sees it."""
        return ordered([made.line for made, _ in self.silent if made.line])

    def hidden_changes(self) -> list[str]:
        """The lines that moved a counter which a call of the failing line touched, in it or after it."""
        calls = [(before, self.followed(touched)) for line, before, touched in self.calls if line == self.forward]
        return [
            b.line
            for i, b in enumerate(self.bumps)
            if b.line and any(i >= before and address(b.storage) in touched for before, touched in calls)
        ]

    def line(self) -> str | None:
        """The innermost line of the program that is running."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self.is_program(frame.f_code.co_filename):
                return self.told(frame.f_code.co_filename, frame.f_lineno)
            frame = frame.f_back
        return None

    def is_program(self, filename: str) -> bool:
        return filename.startswith(f"{self.root}{os.sep}")

    def told(self, filename: str, line: int) -> str:
        return f"{os.path.relpath(filename, self.root)}:{line}"

    def hear(self, message: Warning | str, *_: object, **__: object) -> None:
        """A warning: anomaly mode's traceback of the failing node, or the read of a lost gradient."""
        text = str(message)
        if "Traceback of forward call that caused the error" in text:
            places = re.findall(r'File "([^"]+)", line (\d+)', text)
            self.forward = next((self.told(f, int(n)) for f, n in reversed(places) if self.is_program(f)), None)
        elif "not a leaf Tensor is being accessed" in text and (line := self.line()):
            self.lost.add(line)


@contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """A context in which `recorder` sees what a program asks of torch."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **kwargs or {}) if _is_getter(func) else recorder.call(func, args, kwargs or {})

    saved_tensors: Any = torch._C._FunctionBase.__dict__["saved_tensors"]
    run_engine: Any = vars(torch.autograd)["_engine_run_backward"]
    apply: Any = vars(torch.autograd.Function)["apply"]

    def engine(outputs: Any, *args: Any, **kwargs: Any) -> Any:
        with torch._C.DisableTorchFunction():
            recorder.before_backward(outputs, args[3])  # after the gradients, retain_graph and create_graph
        with nullcontext() if torch._C._len_torch_function_stack() else Mode():  # for hooks and Functions' backwards
            return run_engine(outputs, *args, **kwargs)

    def read(node: Any) -> Any:
        recorder.read(node)
        return saved_tensors.__get__(node)

    def applied(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return recorder.call(apply.__get__(None, cls), args, kwargs)

    with (
        patch.object(torch.autograd, "_engine_run_backward", engine),
        patch.object(torch.autograd.Function, "apply", classmethod(applied)),
        patch.object(torch.autograd.function.BackwardCFunction, "saved_tensors", property(read), create=True),
        torch.autograd.set_detect_anomaly(True, check_nan=False),
        Mode(),
    ):
        yield


def _is_getter(function: Any) -> bool:
    return getattr(function, "__name__", "") == "__get__"


def _unpack(node: Any) -> Iterator[Unpacked | None]:
    """What a node saved, None for what the very call that saved it has changed since.

    What went through a pack hook is nobody's memory any more, and not versioned.
    """
    for raw_name in dir(node):
        if raw_name.startswith("_raw_saved_"):
            name = "saved_tensors" if raw_name == "_raw_saved_tensors" else raw_name.removeprefix("_raw")
            raw = getattr(node, raw_name)
            if all(one.unpack_hook is None for one in (raw if isinstance(raw, tuple) else [raw])):
                try:
                    for tensor in tensors_in(getattr(node, name)):
                        yield Unpacked(name, tensor, tensor._version, copied(tensor), tensor.untyped_storage())
                except RuntimeError:
                    yield None


def _is_stale(node: Any, saved: Unpacked) -> bool:
    if saved.tensor._version == saved.version:
        return False
    try:
        getattr(node, saved.attribute)
    except RuntimeError as error:
        return re.search(KINDS["stale-saved"], str(error)) is not None
    return False


def _writes_unseen(function: Callable[..., Any]) -> bool:
    """Whether a kernel may write without moving a counter, as batch norm's does with running statistics."""
    return getattr(function, "__name__", "") == "batch_norm"


def _in_train_mode(node: Any) -> bool:
    return bool(getattr(node, "_saved_training", False))


def ordered(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(lines), key=lambda line: (line.rpartition(":")[0], int(line.rpartition(":")[2]))))
