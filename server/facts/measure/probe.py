"""Ask PyTorch what one call does: run it once for each subset of its inputs that may require grad.

PyTorch itself decides whether a tensor is saved. Move the tensor's version, then run backward: it raises if and only if
a node that it reaches saved the tensor (`SavedVariable::unpack`, torch/csrc/autograd/saved_variable.cpp):

    y = x.exp()
    torch.autograd.graph.increment_version(y)
    y.backward(torch.ones_like(y))  # raises: `exp` saves its result. With the version of `x` moved, it doesn't.
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
"""the names of the inputs that require grad"""

Observation = dict[tuple[Any, ...], Any]
"""What one sample showed, by key. A label is the name of an input or the number of a result.

- `("save", label, subset)`: whether it is saved if the subset requires grad
- `("frees", subset)`: whether anything is saved then, so that a second backward raises
- `("flow", param)`: whether a gradient flows to it
- `("agreed", label, subset)`: whether `walk.py` says the same of what is saved
- `("mutate", param)`: how far the version moved; 0: changed, but the version stayed; None: not changed
- `("count",)`: how many results: a number, `("tuple", number)` or `"sequence"` for a list
- `("result", i)`: its kind and the input that it is or shares memory with, as in `model.Result`
- `("multi", i)`, `("differentiable", i)`: bool
- `("version", i, subset)`: the version that a new result comes with
- `("dtype", i)`: its dtype's name and that of the first input
- `("node",)`: the grad_fn's name
"""

SUBSET_LIMIT = 15
"""if there are more subsets, only those of one input, of all, and of two if there are five inputs at most, are run"""

MANY = 8
"""with more inputs than that, what isn't saved if all require grad is taken not to be saved if fewer do"""

RAISED = (
    *(RuntimeError, NotImplementedError, ValueError, TypeError, IndexError),
    *(AttributeError, AssertionError, KeyError, BufferError),
)
"""what PyTorch raises if an input can't require grad, backward has no formula, or the arguments make no sense"""


@dataclass(slots=True)
class Trial:
    """One run that is about to happen: the inputs by name, all fresh, and the call that takes them."""

    inputs: Mapping[str, Any]
    call: Callable[[], Any]
    versions: list[tuple[str, torch.Tensor, int]] = field(init=False)
    """each tensor of the inputs, and each gradient of a leaf (`x.grad`), with the version that it has before"""

    def __post_init__(self) -> None:
        own = [(name, t) for name, value in self.inputs.items() for t in tensors(value)]
        grads = [(f"{name}.grad", t.grad) for name, t in own if t.is_leaf and t.grad is not None]
        self.versions = [(name, t, t._version) for name, t in (*own, *grads)]

    def run(self) -> Any:
        """Make the call and return what it returns. Random numbers are the same every time."""
        torch.manual_seed(0)
        return self.call()

    def carriers(self) -> list[torch.Tensor]:
        """Make the call and return the tensors that may have a new grad_fn: results and changed inputs."""
        return [*results(self.run()), *self.changed()]

    def changed(self) -> list[torch.Tensor]:
        """Return the tensors whose version the call moved."""
        return [t for _, t, version in self.versions if t._version != version]


Prepare = Callable[[Subset], Trial]
"""makes a trial in which the inputs of the subset require grad"""


def of_function(run: Callable[[Arguments], Any], arguments: Arguments) -> Prepare:
    """Return what makes trials of a plain call, each with copies of the arguments (`fresh`)."""

    def prepare(subset: Subset) -> Trial:
        inputs = {name: fresh(value, grad=name in subset) for name, value in arguments.items()}
        return Trial(inputs, lambda: run(inputs))

    return prepare


def fresh(value: Any, *, grad: bool) -> Any:
    """Return a copy of the value with tensors of its own.

    With `grad`, those that may require grad do, and aren't leaves, so that they may be changed in place.
    """
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
    """Whether the tensor may require grad; sparse ones are left out."""
    return tensor.layout == torch.strided and (tensor.is_floating_point() or tensor.is_complex())


# -- what it does ----------------------------------------------------------------------------


def observe(prepare: Prepare, names: Sequence[str] | None = None) -> Observation:
    """Make the call once for each subset of its inputs that may require grad, and return what it did.

    `names` are the inputs that the subsets are made of; by default all that may require grad. Raises whatever the call
    raises if no input requires grad. A subset that PyTorch refuses is left out.
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
    """Whether call and backward run if the subset requires grad."""
    try:
        _backward(prepare(subset).carriers())
    except RAISED:
        return False
    return True


def _without_backward(prepare: Prepare, name: str) -> Observation:
    """Return what the graph shows of an input whose backward raises, so that moving versions shows nothing.

    There is no formula for its gradient, or the formula doesn't take a gradient of ones (`eig`).
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
    """Return which results are part of the graph, and by which node.

    `given` are the nodes of the inputs. `only` is the one input that requires grad, None if there are several: then it
    is unknown to which of them the gradient flows.
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
    """Return what the call does if the subset requires grad; the labels in `unsaved` are known not to be saved."""
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
    """Whether backward raises if the version of a tensor is moved after the call: it is saved.

    A saved tensor that is one of several views of one call raises an error of its own. If the results themselves are
    such views, that error is about them, and says nothing of what is saved.
    """
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
    """Return what the call changes and returns if no input requires grad."""
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
    """Return how far the version moved; 0 if the content changed although the version stayed, None if neither did."""
    return tensor._version - version or (None if _equal(tensor, content) else 0)


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype or a.layout != torch.strided:
        return a.shape == b.shape and a.dtype == b.dtype
    return torch.equal(torch.nan_to_num(a.detach()), torch.nan_to_num(b))


def results(returned: object) -> list[torch.Tensor]:
    """Return the tensors in what a call returned; a NumPy array as a tensor that shares its memory."""
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
    """Return what a result is to the inputs, and to which: `same`, `view`, `alias` or `new` (`model.Result`)."""
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
