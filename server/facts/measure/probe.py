"""Ask PyTorch what one call does: run it for each subset of its tensors that may require grad.

The ground truth for "is it saved" is PyTorch itself: move the tensor's version
(`torch.autograd.graph.increment_version`), then run backward; it raises if and only if a node that
backward reaches saved the tensor (`SavedVariable::unpack`, torch/csrc/autograd/saved_variable.cpp).
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch._C._autograd import _get_creation_meta

from .samples import Arguments, tensors
from .walk import saved_storages, storage_of

Subset = frozenset[str]
Observation = dict[tuple[Any, ...], Any]
"""What one sample showed, by key. A label is a parameter's name or the number of a result.

- `("save", label, subset)`, `("frees", subset)`, `("flow", param)`: bool
- `("agreed", label, subset)`: whether `walk.py` says the same of what is saved
- `("mutate", param)`: by how much the version moved, 0 for a silent change, None for none
- `("count",)`: how the results come; `("result", i)`: (kind, of)
- `("multi", i)`, `("differentiable", i)`: bool; `("version", i, subset)`: that of a new result
- `("dtype", i)`: (name, name of the first input's); `("node",)`: the grad_fn's name
"""

SUBSET_LIMIT = 15
MANY = 8
"""with more inputs than that, what isn't saved when all require grad is taken for not saved when fewer do"""
RAISED = (
    *(RuntimeError, NotImplementedError, ValueError, TypeError, IndexError),
    *(AttributeError, AssertionError, KeyError, BufferError),
)
"""what PyTorch raises where an input can't require grad, backward has no formula, or arguments make no sense"""


@dataclass(slots=True)
class Trial:
    """One run about to happen: the inputs by label, all fresh, and the call that takes them."""

    inputs: Mapping[str, Any]
    call: Callable[[], Any]
    versions: list[tuple[str, torch.Tensor, int]] = field(init=False)

    def __post_init__(self) -> None:
        own = [(name, t) for name, value in self.inputs.items() for t in tensors(value)]
        grads = [(f"{name}.grad", t.grad) for name, t in own if t.is_leaf and t.grad is not None]
        self.versions = [(name, t, t._version) for name, t in (*own, *grads)]

    def run(self) -> Any:
        """Call, random numbers the same every time, and return what it returns."""
        torch.manual_seed(0)
        return self.call()

    def carriers(self) -> list[torch.Tensor]:
        """Run, and return the tensors that may have a grad_fn then: results and changed inputs."""
        return [*results(self.run()), *self.changed()]

    def changed(self) -> list[torch.Tensor]:
        """Return the inputs whose version the call has moved."""
        return [t for _, t, version in self.versions if t._version != version]


Prepare = Callable[[Subset], Trial]
"""makes a trial in which the inputs of the subset require grad"""


def of_function(run: Callable[[Arguments], Any], arguments: Arguments) -> Prepare:
    """Return the preparation of a plain call: clones of the arguments, no leaves where they require grad."""

    def prepare(subset: Subset) -> Trial:
        inputs = {name: fresh(value, grad=name in subset) for name, value in arguments.items()}
        return Trial(inputs, lambda: run(inputs))

    return prepare


def fresh(value: Any, *, grad: bool) -> Any:
    """Return the value with tensors of its own, which require grad, but are no leaves, where `grad` is set."""
    if isinstance(value, torch.Tensor):
        twin = value.detach().clone()
        if grad and may_require_grad(twin):
            return twin.requires_grad_().clone()
        twin.grad = None if value.grad is None else value.grad.clone()
        return twin
    if isinstance(value, torch.nn.Module):
        return copy.deepcopy(value)
    if isinstance(value, Mapping):
        return {key: fresh(item, grad=grad) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [fresh(item, grad=grad) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def may_require_grad(tensor: torch.Tensor) -> bool:
    """Whether PyTorch lets the tensor require grad, among dense ones."""
    return tensor.layout == torch.strided and (tensor.is_floating_point() or tensor.is_complex())


# -- what it does ----------------------------------------------------------------------------


def observe(prepare: Prepare, names: Sequence[str] | None = None) -> Observation:
    """Run the call for each subset of its inputs that may require grad and return what it did.

    `names` are the inputs to tell apart, otherwise all that may require grad. Raises whatever the call
    raises with plain inputs; a subset that PyTorch refuses is left out.
    """
    seen = effects(prepare)
    if names is None:
        inputs = prepare(frozenset()).inputs
        names = [name for name, value in inputs.items() if any(map(may_require_grad, tensors(value)))]
    usable = []
    for name in names:
        if _accepted(prepare, frozenset({name})):
            usable.append(name)
        else:
            seen |= _without_backward(prepare, name)
    unsaved: set[str | int] = set()
    for subset in sorted(_subsets(usable), key=len, reverse=True):
        try:
            seen |= (shown := _observe_subset(prepare, subset, unsaved))
        except RAISED:
            continue
        if len(subset) == len(usable) > MANY:
            unsaved = {key[1] for key, value in shown.items() if key[0] == "save" and not value}
    return seen


def _subsets(names: list[str]) -> Iterator[Subset]:
    sizes: Iterable[int]
    if 2 ** len(names) - 1 <= SUBSET_LIMIT:
        sizes = range(1, len(names) + 1)
    else:
        sizes = (1, len(names)) if len(names) > 5 else (1, 2, len(names))
    for size in sizes:
        yield from map(frozenset, itertools.combinations(names, size))


def _accepted(prepare: Prepare, subset: Subset) -> bool:
    try:
        _backward(prepare(subset).carriers())
    except RAISED:
        return False
    return True


def _without_backward(prepare: Prepare, name: str) -> Observation:
    """Return how an input takes part in the graph where its backward, which would tell, raises.

    There is no formula for its gradient, or none for a gradient of ones (`eig`): then the graph shows what is saved.
    """
    subset = frozenset({name})
    try:
        trial = prepare(subset)
        given = {t.grad_fn for _, t, _ in trial.versions}
        outputs = results(trial.run())
        walked = saved_storages([*outputs, *trial.changed()])
    except RAISED:
        return {}
    seen = _graph_of(trial, outputs, given, name)
    if walked:
        seen["frees", subset] = True
        shown = {n: tensors(value) for n, value in trial.inputs.items() if tensors(value)}
        for label, ts in (*shown.items(), *((i, [o]) for i, o in enumerate(outputs))):
            seen["save", label, subset] = any(storage_of(t) in walked for t in ts)
    return seen


def _graph_of(trial: Trial, outputs: Sequence[torch.Tensor], given: set[Any], only: str | None) -> Observation:
    """Return which results are part of the graph, by which node, and if the one input that requires grad leads there.

    `given` are the nodes of the inputs.
    """
    seen: Observation = {}
    nodes = [t.grad_fn for t in (*outputs, *trial.changed()) if t.grad_fn is not None]
    if only is not None:
        seen["flow", only] = bool(nodes)
    seen |= {("differentiable", i): True for i, o in enumerate(outputs) if o.requires_grad}
    if made := [node.name() for node in nodes if node not in given]:
        seen["node",] = made[0]
    return seen


def _observe_subset(prepare: Prepare, subset: Subset, unsaved: set[str | int]) -> Observation:
    """Return what the call does where the subset requires grad; `unsaved` are labels known not to be saved."""
    trial = prepare(subset)
    given = {t.grad_fn for _, t, _ in trial.versions}
    outputs = results(trial.run())
    nodes = any(t.grad_fn is not None for t in (*outputs, *trial.changed()))
    seen = _graph_of(trial, outputs, given, next(iter(subset)) if len(subset) == 1 else None)
    given_memory = {storage_of(t) for _, t, _ in trial.versions}
    seen |= {("version", i, subset): o._version for i, o in enumerate(outputs) if storage_of(o) not in given_memory}
    walked = saved_storages([*outputs, *trial.changed()]) if nodes else set()
    frees = nodes and _second_backward_raises(prepare, subset)
    seen["frees", subset] = frees
    for label in (*(n for n, v in trial.inputs.items() if tensors(v)), *range(len(outputs))):
        seen["save", label, subset] = frees and label not in unsaved and _bump_is_noticed(prepare, subset, label)
        shown = [outputs[label]] if isinstance(label, int) else tensors(trial.inputs[label])
        seen["agreed", label, subset] = seen["save", label, subset] == any(storage_of(t) in walked for t in shown)
    return seen


def _backward(carriers: Iterable[torch.Tensor]) -> None:
    reached = [t for t in carriers if t.grad_fn is not None]
    if reached:
        torch.autograd.backward(reached, [torch.ones_like(t) for t in reached])


def _second_backward_raises(prepare: Prepare, subset: Subset) -> bool:
    carriers = prepare(subset).carriers()
    _backward(carriers)
    try:
        _backward(carriers)
    except RuntimeError as error:
        if "backward through the graph a second time" in str(error):
            return True
        raise
    return False


def _bump_is_noticed(prepare: Prepare, subset: Subset, label: str | int) -> bool:
    trial = prepare(subset)
    outputs = results(trial.run())
    carriers = [*outputs, *trial.changed()]
    pieces = any(map(_is_multi, outputs))
    for t in [outputs[label]] if isinstance(label, int) else tensors(trial.inputs[label]):
        torch.autograd.graph.increment_version(t)
    try:
        _backward(carriers)
    except RuntimeError as error:
        text = str(error)
        if "modified by an inplace operation" in text:
            return True
        if "is a view and its base or another view" in text:
            return not pieces
        raise
    return False


def effects(prepare: Prepare) -> Observation:
    """Return what the call changes and returns, apart from autograd."""
    trial = prepare(frozenset())
    contents = {id(t): t.detach().clone() for _, t, _ in trial.versions}
    returned = trial.run()
    seen: Observation = {}
    for name, t, version in trial.versions:
        bumps = _bumps(t, version, contents[id(t)])
        known = seen.get(("mutate", name))
        seen["mutate", name] = bumps if known is None else max(known, bumps or 0)
    if isinstance(returned, torch.nn.Module):
        itself = [name for name, value in trial.inputs.items() if value is returned]
        return seen | {("count",): 1, ("result", 0): ("same", itself[0]) if itself else ("new", None)}
    outputs = results(returned)
    seen["count",] = _count(returned, outputs)
    given = next((dtype_name(t) for _, t, _ in trial.versions), None)
    for i, output in enumerate(outputs):
        seen["result", i] = _relation(output, trial)
        if seen["result", i][0] == "new":
            seen["version", i, frozenset()] = output._version
        seen["multi", i] = _is_multi(output)
        seen["dtype", i] = (dtype_name(output), given)
    return seen


def dtype_name(tensor: torch.Tensor) -> str:
    """Return the dtype's name without `torch.`."""
    return str(tensor.dtype).removeprefix("torch.")


def _bumps(tensor: torch.Tensor, version: int, content: torch.Tensor) -> int | None:
    """Return by how much the version moved, 0 where the content changed behind its back, None if nothing did."""
    return tensor._version - version or (None if _equal(tensor, content) else 0)


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype or a.layout != torch.strided:
        return a.shape == b.shape and a.dtype == b.dtype
    return torch.equal(torch.nan_to_num(a.detach()), torch.nan_to_num(b))


def results(returned: object) -> list[torch.Tensor]:
    """Return the tensors of what a call returned, NumPy arrays as tensors that share their memory."""
    if isinstance(returned, np.ndarray) and returned.ndim:
        return [torch.from_numpy(returned)]
    return tensors(returned)


def _count(returned: object, outputs: list[torch.Tensor]) -> object:
    if isinstance(returned, list):
        return "sequence"
    if type(returned) is tuple:
        return ("tuple", len(outputs))
    return len(outputs)


def _relation(output: torch.Tensor, trial: Trial) -> tuple[str, str | None]:
    for name, t, _ in trial.versions:
        if t is output:
            return "same", name
    memory = storage_of(output)
    for name, t, _ in trial.versions:
        if memory is not None and memory == storage_of(t):
            return ("view" if _share_counter(output, t) else "alias"), name
    return "new", None


def _share_counter(a: torch.Tensor, b: torch.Tensor) -> bool:
    before = b._version
    torch.autograd.graph.increment_version(a)
    return b._version != before


def _is_multi(output: torch.Tensor) -> bool:
    return output._is_view() and _get_creation_meta(output).name == "MULTI_OUTPUT_NODE"
