"""From an error, or a saved tensor that changed unseen, to what a person needs to know of it: a `Sighting`.

    y = x.exp()           # saved: by `exp`, on this line, at version 0
    y.add_(1)             # written: by `add_`, on this line, version 0 → 1
    y.sum().backward()    # the error: "is at version 1; expected version 0"

The frames of the error's traceback hold the outputs of the backward. From these the nodes are reached; one of them has
a stale saved tensor with the message's versions; and the recorder's notes have the lines that saved and wrote it.
"""

from __future__ import annotations

import ast
import linecache
import os
import re
import time
from contextlib import suppress
from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd.function import BackwardCFunction

from ..workspace.record import SeenSave, SeenWrite, Sighting, Spot
from . import graph
from .dispatch import version
from .kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType, TracebackType

    from .graph import Kept, Stale
    from .recorder import Made, Recorder, Written

MOST_TOLD = 8
"""how many writes are reported: the latest"""

CHECKPOINT = os.path.join(os.path.dirname(torch.__file__), "utils", "checkpoint.py")

QUOTED = "Traceback (most recent call last)"
"""what is in a message that quotes the error of another process or thread"""

LOST = "not a leaf Tensor is being accessed"
"""a part of PyTorch's warning when `.grad` of a tensor that isn't a leaf is read"""


class Inspector:
    """Finds out what a recorder's notes say of a failure. Begin reading with `error`.

    `who` names the process among several. Of the writes to a tensor, the latest are reported, at most `most`.
    """

    def __init__(self, recorder: Recorder, who: Callable[[], str] = str, most: int = MOST_TOLD) -> None:
        self.recorder = recorder
        self.places = recorder.places
        self.who = who
        self.most = most
        self.boxed: Callable[[str], Sighting | None] = lambda message: None
        """what was known of an error where it was raised, by a message that has its text (`boxes.py`)"""

    # -- errors ------------------------------------------------------------------------------------

    def error(self, error: BaseException | None) -> Sighting | None:
        """What is known of an error that the program doesn't handle, or of one that led to it; None if nothing.

        The graph is reached by the frames of the error's traceback, so these must still be there.
        """
        with torch._C._DisableTorchDispatch(), torch.no_grad():
            return next(self._failures(error), None)

    def failures(self, error: BaseException | None) -> list[Sighting]:
        """The same, followed by the other saved tensors that this backward would find changed."""
        with torch._C._DisableTorchDispatch(), torch.no_grad():
            return list(self._failures(error))

    def _failures(self, error: BaseException | None) -> Iterator[Sighting]:
        seen = set[int]()
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            if QUOTED in (text := f"{error}\n{error.__cause__}"):  # of another process or thread
                if (known := self.boxed(text)) is not None:
                    yield known
                return
            kind = kind_of(str(error))
            if kind is not None:
                yield from self._error(error, kind)
                return
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)

    def _error(self, error: BaseException, kind: str) -> Iterator[Sighting]:
        frames = list(_frames(error.__traceback__))
        told = Sighting(
            kind,
            self.places.of_traceback(error.__traceback__),
            message=str(error),
            error=type(error).__name__,
            who=self.who(),
            time=time.time(),
        )
        if kind == "stale-saved":
            yield from self._stale(told, frames)
        elif kind == "freed-graph":
            yield self._freed(told, frames)
        else:
            yield self._at_once(told, frames)

    def _stale(self, told: Sighting, frames: list[FrameType]) -> Iterator[Sighting]:
        """Yield the saved tensors that backward finds changed, first the newest of which PyTorch says the same.

        At last `told` is yielded as it is, for an error of which nothing is found.
        """
        said = graph.stale(told.message)
        nodes = _run(frames)
        saved = [one for node in nodes for one in graph.kept(node)] + list(_boxes(frames))
        stale = [(one, at) for one in saved if (at := graph.staleness(one)) is not None]
        if all(at != said for _, at in stale) and (hidden := self._hidden(told, nodes, said)) is not None:
            yield hidden
        for one, at in sorted(stale, key=lambda pair: (pair[1] != said, said is None or pair[1][:2] != said[:2])):
            tensor = one.unchecked()
            if tensor is not None and (one.place is None or version(tensor) == at.now):  # of several, another may fail
                yield self._of_saved(told, one, tensor, at, frames, nodes)
        yield told

    def _of_saved(
        self,
        told: Sighting,
        one: Kept,
        tensor: torch.Tensor,
        at: Stale,
        frames: list[FrameType],
        nodes: list[Any],
    ) -> Sighting:
        if one.node is None:
            one = one._replace(node=self._waiting(nodes), name="saved_tensors")
        made = self.recorder.made(one.node) if one.node is not None else None
        name = self.name(tensor, frames)
        saved = self._save(one, made, at.then, tensor, name, nodes)
        writes = self.recorder.writes(tensor, made.time if made is not None else 0)
        counted = [write for write in writes if at.then <= write.before < write.after <= at.now]
        carried = self._carried(made, nodes)
        return replace(
            told, saved=saved, name=name, carried=carried, **self._writes(counted or writes, at.now - at.then)
        )

    def _carried(self, made: Made | None, nodes: list[Any]) -> bool:
        """Whether a node was made in an earlier turn of the loop, although the graph's root was made in this one."""
        root = self.recorder.made(nodes[0]) if nodes else None
        is_carried = self.recorder.is_carried
        return made is not None and is_carried(made) and root is not None and not is_carried(root)

    def _waiting(self, nodes: list[Any]) -> Any:
        """The node that asked a checkpoint for what it saved: the newest that hasn't run yet; None if there is none."""
        ran = self.recorder.ran
        waiting = (node for node in nodes if ran.get(node._sequence_nr()) is not self.recorder.backward)
        return next((node for node in waiting if graph.hooked(node)), None)

    def _hidden(self, told: Sighting, nodes: list[Any], said: Stale | None) -> Sighting | None:
        """The same for a node inside one that changes a view's base, where Python can't see it; None if none fits.

        `said` is what the message says.
        """
        now, then = said[:2] if said is not None else (0, 0)
        for node in nodes:
            made = self.recorder.made(node)
            for held in made.held if made is not None else ():
                memory = self.recorder.memories.get(held.key)
                if memory is None or made is None or held.version != then:
                    continue
                writes = [w for w in memory.writes if w.time > made.time and then <= w.before < w.after <= now]
                if writes and writes[-1].after == now:
                    spots = self.places.stack(made.trail)
                    saved = SeenSave(made.op.rstrip("_"), held.role, spots, then, held.shape, held.dtype)
                    return replace(told, saved=saved, **self._writes(writes, now - then))
        return None

    def _save(
        self, one: Kept, made: Made | None, at: int, tensor: torch.Tensor, name: str | None, nodes: list[Any]
    ) -> SeenSave | None:
        if made is None:
            return None
        trail = self.places.called(made.trail) if graph.is_custom(one.node) else made.trail
        spots = self.places.stack(trail)
        if not spots:
            return None
        leaves = (getattr(node, "variable", None) for node in nodes)
        leaf = any(_key(one) == _key(tensor) for one in leaves if isinstance(one, torch.Tensor))
        dtype = str(tensor.dtype).removeprefix("torch.")
        return SeenSave(self.op(one.node, spots), one.role, spots, at, tuple(tensor.shape), dtype, name, leaf)

    def _writes(self, writes: list[Written], number: int) -> dict[str, Any]:
        told = []
        for write in writes[-self.most :]:
            spots = self.places.stack(write.trail)
            if spots:
                stepped = self.places.is_step(write.trail)
                told.append(SeenWrite(write.op, spots, write.before, write.after, write.before != write.after, stepped))
        return {"writes": tuple(told), "more": max(number, len(writes)) - len(told) if told else 0}

    def _freed(self, told: Sighting, frames: list[FrameType]) -> Sighting:
        """What is known of a second backward: whose saved tensors are gone, and which backward freed them."""
        nodes = _run(frames)
        for node in nodes:
            ran = self.recorder.ran.get(node._sequence_nr())
            if ran is not self.recorder.backward and any(graph.is_freed(one) for one in graph.kept(node)):
                made = self.recorder.made(node)
                saved = None
                if made is not None and (spots := self.places.stack(made.trail)):
                    saved = SeenSave(self.op(node, spots), "", spots)
                freer = self.places.stack(ran.trail) if ran is not None else ()
                return replace(told, saved=saved, made=freer, carried=self._carried(made, nodes))
        return told

    # -- what raises at once -----------------------------------------------------------------------

    def _at_once(self, told: Sighting, frames: list[FrameType]) -> Sighting:
        """What is known of an error of an operation: where the tensor came from that the failing line names."""
        spot = told.spot
        frame = next((one for one in reversed(frames) if spot and _is_at(one, spot)), None)
        names = dict(_named(frame, spot)) if frame is not None and spot is not None else {}
        if told.kind == "deepcopy-nonleaf":
            tensor = next(
                (f.f_locals.get("self") for f in reversed(frames) if f.f_code.co_name == "__deepcopy__"), None
            )
            found = self.name(tensor, frames) if isinstance(tensor, torch.Tensor) else None
        else:
            fits = FITS.get(told.kind)
            found = next((name for name, tensor in names.items() if fits is not None and fits(tensor)), None)
            tensor = names.get(found) if found is not None else None
        if not isinstance(tensor, torch.Tensor):
            return told
        made, by = self.origin(tensor)
        return replace(told, name=found, made=made, made_by=by)

    def origin(self, tensor: torch.Tensor) -> tuple[tuple[Spot, ...], str]:
        """Where a tensor was made, or became a view, and by which operation; both empty if that is unknown."""
        node = graph.grad_fn(tensor)
        made = self.recorder.made(node) if node is not None else None
        if made is not None:
            spots = self.places.stack(made.trail)
            return spots, self.op(node, spots)
        memory = self.recorder.memory(tensor)
        op, trail = self.recorder.views.get(memory.key, ("", ())) if memory is not None else ("", ())
        return (self.places.stack(trail), op) if tensor._is_view() else ((), "")

    # -- what raises nothing -----------------------------------------------------------------------

    def silent(self, one: Kept, tensor: torch.Tensor, frame: FrameType | None) -> Sighting:
        """What is known of a saved tensor that changed unseen, and that a backward, called from `frame`, will read."""
        made = self.recorder.made(one.node)
        name = self.name(tensor, list(_outward(frame)))
        since = made.time if made is not None else 0
        saved = self._save(one, made, version(tensor), tensor, name, [node for node, _ in one.node.next_functions])
        writes = self.recorder.writes(tensor, since, any_counter=True)
        told = self._writes(writes, len(writes))
        for moved in self.recorder.moves.since(tensor, since):
            if moved.print is not None and (spots := self.places.stack(moved.trail)):
                told["writes"] += (SeenWrite(".data =", spots),)
        told["writes"] = tuple(replace(write, counted=False) for write in told["writes"])
        trail = self.places.trail(frame)
        return Sighting(
            "silent-stale", self.places.stack(trail), saved=saved, name=name, who=self.who(), time=time.time(), **told
        )

    def lost(self, frame: FrameType | None) -> Sighting:
        """What is known of a read of `.grad` of a tensor that isn't a leaf, in `frame`."""
        return Sighting("nonleaf-grad", self.places.stack(self.places.trail(frame)), who=self.who(), time=time.time())

    # -- words -------------------------------------------------------------------------------------

    def name(self, tensor: torch.Tensor, frames: Iterable[FrameType]) -> str | None:
        """What the program calls a tensor, in the innermost of its frames that has a name for it; None if none has.

        A parameter's name is its path in a module (`net.0.weight`).
        """
        memory = self.recorder.memory(tensor)
        if memory is None:
            return None
        for frame in reversed(list(frames)):
            if self.places.is_program(frame.f_code.co_filename):
                names = list(_tensors(frame))
                same = [(text, one) for text, one in names if _key(one) == memory.key]
                exact = [text for text, one in same if one.shape == tensor.shape and one.stride() == tensor.stride()]
                if same:
                    return exact[0] if exact else same[0][0]
        return None

    def op(self, node: Any, spots: tuple[Spot, ...]) -> str:
        """The operation that made a node, as the program writes it at the last of `spots`, else by the node's name."""
        if graph.is_custom(node):
            made = self.recorder.made(node) if graph.is_generated(node) else None
            return made.op if made is not None else graph.name(node)
        written = _written(spots[-1]) if spots else None
        return written or graph.name(node)


FITS: dict[str, Callable[[torch.Tensor], bool]] = {
    "leaf-inplace": lambda tensor: tensor.is_leaf and tensor.requires_grad,
    "view-of-leaf-inplace": lambda tensor: (tensor._is_view() and tensor.requires_grad) or _is_leaf(tensor),
    "multi-view-inplace": lambda tensor: tensor._is_view(),
    "no-grad-view-inplace": lambda tensor: tensor._is_view(),
    "overlap-write": lambda tensor: 0 in tensor.stride() or tensor._is_view(),
    "inference-tensor": lambda tensor: tensor.is_inference(),
    "out-grad": lambda tensor: tensor.requires_grad,
}
"""for each kind of failure, whether a tensor can be the one that it is about"""


def _is_leaf(tensor: torch.Tensor) -> bool:
    return tensor.is_leaf and tensor.requires_grad


def _frames(traceback: TracebackType | None) -> Iterator[FrameType]:
    """The frames of a traceback, outermost first."""
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _outward(frame: FrameType | None) -> Iterator[FrameType]:
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return reversed(found)


def _run(frames: list[FrameType]) -> list[Any]:
    """The nodes that the innermost backward of a traceback runs, and those that frames inside it hold.

    The latter are for checkpoints: one keeps its inputs in a node of its own, to which no other leads.
    """
    engine = [i for i, frame in enumerate(frames) if frame.f_code.co_name == "_engine_run_backward"]
    found: list[Any] = []
    if engine:
        outputs, inputs, _ = asked(frames[engine[-1]])
        found = graph.nodes(outputs, inputs)
    within = frames[engine[-1] + 1 :] if engine else frames
    held = [value for frame in within for value in frame.f_locals.values() if isinstance(value, BackwardCFunction)]
    return found + [node for node in held if all(node is not one for one in found)]


def _boxes(frames: list[FrameType]) -> Iterator[Kept]:
    """What checkpoints saved in boxes of their own, which the frames of a traceback hold."""
    box: Any = getattr(torch._C._autograd, "SavedTensor", ())
    for frame in frames:
        if frame.f_code.co_filename.startswith(CHECKPOINT):
            for value in frame.f_locals.values():
                for one in (
                    value,
                    *(item for row in getattr(value, "__dict__", {}).values() if isinstance(row, list) for item in row),
                ):
                    if isinstance(one, box):
                        yield graph.Kept(None, "", one)


def asked(frame: FrameType) -> tuple[list[Any], list[torch.Tensor], bool]:
    """What a frame asks of the engine: the outputs, the inputs to find gradients of, whether to retain the graph."""
    values = frame.f_locals
    outputs, rest = values.get("t_outputs", ()), values.get("args", ())
    inputs = rest[3] if len(rest) > 3 else ()
    keeps = bool(rest[1]) if len(rest) > 1 else False
    return list(outputs), list(inputs or ()), keeps


def _is_at(frame: FrameType, spot: Spot) -> bool:
    return os.path.abspath(frame.f_code.co_filename) == spot.path and frame.f_code.co_name == spot.function


def _named(frame: FrameType, spot: Spot) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors that the text of a spot names, in the order of a walk of its tree, each with its name."""
    for node in ast.walk(_tree(spot)):
        if isinstance(node, (ast.Name, ast.Attribute)) and re.fullmatch(r"[\w.]+", text := ast.unparse(node)):
            value = _look_up(frame, text)
            if isinstance(value, torch.Tensor):
                yield text, value
        elif isinstance(node, ast.Subscript):
            text = ast.unparse(node.value)
            value = _look_up(frame, text) if re.fullmatch(r"[\w.]+", text) else None
            with suppress(Exception):
                if isinstance(value, (list, tuple, dict)) and isinstance(node.slice, ast.Constant):
                    item = value[node.slice.value]  # type: ignore[index]
                    if isinstance(item, torch.Tensor):
                        yield ast.unparse(node), item


def _tree(spot: Spot) -> ast.AST:
    """The syntax tree of the text of a spot; an empty one if it can't be parsed alone."""
    if spot.range is not None:
        first, start, last, end = spot.range
        lines = [linecache.getline(spot.path, number + 1) for number in range(first, last + 1)]
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        text = "".join(lines)
    else:
        text = spot.text
    for candidate in (dedent(text), dedent(text) + "\n    pass", f"({text}\n)"):
        with suppress(SyntaxError, ValueError):
            return ast.parse(candidate)
    return ast.Module([], [])


_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.Mod: "%",
    ast.FloorDiv: "//",
}  # fmt: skip


def _written(spot: Spot) -> str | None:
    """The operation that is written at a spot: an operator, or the name of a function or method of PyTorch.

    None if it is anything else.
    """
    tree = _tree(spot)
    body = tree.body if isinstance(tree, ast.Module) else []
    node = body[0] if len(body) == 1 else None
    value = getattr(node, "value", None) if not isinstance(node, ast.AugAssign) else None
    if isinstance(value, ast.BinOp):
        return _OPERATORS.get(type(value.op))
    if isinstance(value, ast.Call) and isinstance(value.func, (ast.Attribute, ast.Name)):
        text = value.func.attr if isinstance(value.func, ast.Attribute) else value.func.id
        known = (torch.Tensor, torch, torch.nn.functional)
        return text if any(hasattr(module, text) for module in known) else None
    return None


def _look_up(frame: FrameType, name: str) -> Any:
    """What a dotted name stands for in a frame, looked up without running a property; None if nothing is found."""
    first, *rest = name.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    for attribute in rest:
        members = getattr(value, "__dict__", {})
        value = (
            members | members.get("_parameters", {}) | members.get("_buffers", {}) | members.get("_modules", {})
        ).get(attribute)
    return value


def _tensors(frame: FrameType) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors that a frame has names for: its variables, then the parameters and buffers of its modules."""
    modules = []
    for name, value in list(frame.f_locals.items()):
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, torch.nn.Module):
            modules.append((name, value))
    for name, module in modules:
        for path, tensor in (*module.named_parameters(), *module.named_buffers()):
            yield f"{name}.{path}", tensor


def _key(tensor: torch.Tensor) -> int | None:
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError, AttributeError):
        return None
