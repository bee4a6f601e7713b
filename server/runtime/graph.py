"""Reads the graph of autograd as Python shows it: which nodes a backward runs, and what they saved."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from .kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_attributes: dict[type, tuple[str, ...]] = {}
"""the names of the attributes with what a node may save, by the node's type"""

GIVES_SAVED = hasattr(getattr(torch._C._autograd, "SavedTensor", None), "data")
"""whether this release of PyTorch gives access to the very tensor that was saved (`SavedTensor.data`)"""

STALE = re.compile(r"is at version (\d+); expected version (\d+)")


class Kept(NamedTuple):
    """Something that a node saved: `name` is the attribute (`_saved_self`), `raw` PyTorch's box around it.

    `node` is None for what a checkpoint saves: it has boxes of its own.
    """

    node: Any
    name: str
    raw: Any
    place: int | None = None
    """the number of this one if the attribute has several (`saved_tensors`)"""

    @property
    def role(self) -> str:
        """The part that it plays in the operation: `self`, `result`, `weight`, …"""
        return "input" if self.name == "saved_tensors" else self.name.removeprefix("_saved_")

    def read(self) -> torch.Tensor | None:
        """The tensor, as backward reads it; None if it isn't a strided one. Raises RuntimeError if backward would."""
        tensor = self._unpacked()
        return tensor if isinstance(tensor, torch.Tensor) and tensor.layout is torch.strided else None

    def _unpacked(self) -> Any:
        if self.node is None:
            return self.raw.unpack()
        if self.place is None:
            return getattr(self.node, self.name)
        try:  # this one alone, where PyTorch allows it: reading all of them raises if any is stale
            return self.raw.unpack()
        except (AttributeError, RuntimeError) as error:
            if STALE.search(str(error)):
                raise
            return getattr(self.node, self.name)[self.place]  # a result is only unpacked by way of its node

    def unchecked(self) -> torch.Tensor | None:
        """The tensor, without a check of its version; None if PyTorch doesn't give it."""
        try:
            if GIVES_SAVED:
                found = self.raw.data
                return found if isinstance(found, torch.Tensor) else None
            got: list[torch.Tensor] = []

            def pack(tensor: torch.Tensor) -> torch.Tensor:
                got.append(tensor)
                return tensor

            self.raw.register_hooks(pack, pack)
            return got[0] if got else None
        except RuntimeError:
            return None


def packed(node: Any, is_result: bool) -> Kept:
    """What a node has saved and a hook of the program's has taken: the result of its operation, or another."""
    return Kept(node, "saved_tensors" if is_custom(node) else "_saved_result" if is_result else "_saved_input", None)


def kept(node: Any) -> Iterator[Kept]:
    """What a node saved, without what a hook of the program packed: that is no memory that the program could change."""
    kind = type(node)
    names = _attributes.get(kind)
    if names is None:
        names = _attributes[kind] = tuple(name for name in dir(node) if name.startswith("_raw_saved_"))
    for raw_name in names:
        name = "saved_tensors" if raw_name == "_raw_saved_tensors" else raw_name.removeprefix("_raw")
        try:
            raw = getattr(node, raw_name)
        except RuntimeError:  # freed
            yield Kept(node, name, None)
            continue
        boxes = list(enumerate(raw)) if isinstance(raw, (tuple, list)) else [(None, raw)]
        for index, box in boxes:
            if getattr(box, "unpack_hook", None) is None:
                yield Kept(node, name, box, index)


def hooked(node: Any) -> bool:
    """Whether a hook of the program packed anything that a node saved."""
    raws = (getattr(node, name, None) for name in dir(node) if name.startswith("_raw_saved_"))
    boxes = (box for raw in raws for box in (raw if isinstance(raw, (tuple, list)) else (raw,)))
    return any(getattr(box, "unpack_hook", None) is not None for box in boxes)


def is_freed(one: Kept) -> bool:
    """Whether a backward freed what was saved."""
    return one.raw is None or _fails(one, KINDS["freed-graph"]) is not None


class Stale(NamedTuple):
    """The version of a saved tensor now, the one that it was saved at, and what PyTorch says of it but for a hint."""

    now: int
    then: int
    message: str


def staleness(one: Kept) -> Stale | None:
    """How stale a saved tensor is; None if it is as it was saved."""
    message = _fails(one, KINDS["stale-saved"]) if one.raw is not None else None
    return stale(message) if message else None


def stale(message: str) -> Stale | None:
    """What the message of an error says of a stale tensor; None for another one."""
    found = STALE.search(message)
    return Stale(int(found[1]), int(found[2]), message.partition(" Hint:")[0]) if found else None


def _fails(one: Kept, pattern: str) -> str | None:
    try:
        one.read()
    except RuntimeError as error:
        return str(error) if re.search(pattern, str(error)) else None
    return None


def nodes(outputs: Iterable[Any], inputs: Iterable[torch.Tensor] = ()) -> list[Any]:
    """The nodes that a backward of `outputs` runs, the newest first; with `inputs`, only those that lead to them."""
    reached: dict[int, Any] = {}
    later: dict[int, list[int]] = {}
    todo = [edge if not isinstance(edge, torch.Tensor) else grad_fn(edge) for edge in map(_edge, outputs)]
    while todo:
        node = todo.pop()
        if node is not None and id(node) not in reached:
            reached[id(node)] = node
            for earlier, _ in node.next_functions:
                later.setdefault(id(earlier), []).append(id(node))
                todo.append(earlier)
    wanted = list(inputs)
    run = _leading(reached, later, wanted) if wanted else set(reached)
    return sorted((reached[key] for key in run), key=_age)


def _age(node: Any) -> tuple[bool, int]:
    """A key that sorts the newest nodes first, and last those that accumulate a leaf's gradient: these have no age."""
    return hasattr(node, "variable"), -node._sequence_nr()


def _edge(output: Any) -> Any:
    """A tensor or a node, of what a backward may begin with: a tensor, or a GradientEdge, which has a node."""
    return output.node if hasattr(output, "output_nr") and hasattr(output, "node") else output


def _leading(reached: dict[int, Any], later: dict[int, list[int]], wanted: list[Any]) -> set[int]:
    """The nodes that lead to one of the tensors whose gradients are wanted: the engine runs only these.

    `reached` are all nodes by `id`, `later` the nodes that lead to each.
    """
    tensors = [one for one in wanted if isinstance(one, torch.Tensor)]
    made = [grad_fn(tensor) for tensor in tensors]
    leaves = {id(tensor) for tensor, node in zip(tensors, made, strict=True) if node is None}
    goals = [id(node) for node in made if node is not None]
    goals += [key for key, node in reached.items() if id(getattr(node, "variable", None)) in leaves]
    found = set[int]()
    while goals:
        new = set(later.get(goals.pop(), ())) - found
        found |= new
        goals += new
    return found


def grad_fn(tensor: torch.Tensor) -> Any:
    """The node that made a tensor; None for a leaf, and for a view that may not be used any more, which raises."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def name(node: Any) -> str:
    """The name of the operation that made a node: `exp` for `ExpBackward0`; for a custom Function, its own name."""
    found = re.sub(r"(Backward\w*|BackwardBackward\w*)$", "", node.name().rpartition("::")[2])
    if is_custom(node):
        return found
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", found).lower()


def is_custom(node: Any) -> bool:
    """Whether a node belongs to a custom Function."""
    return isinstance(node, torch.autograd.function.BackwardCFunction)


def is_generated(node: Any) -> bool:
    """Whether a custom Function was made by `torch.library` for an operator: the program doesn't know its name."""
    return getattr(type(node), "_forward_cls", object).__module__ == "torch._library.autograd"
