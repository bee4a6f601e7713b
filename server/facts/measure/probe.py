"""Ask PyTorch what one call does: run it for each subset of its tensors that may require grad.

The ground truth for "is it saved" is PyTorch itself: move the tensor's version
(`torch.autograd.graph.increment_version`), then run backward; it raises if and only if a node that
backward reaches saved the tensor (`SavedVariable::unpack`, torch/csrc/autograd/saved_variable.cpp).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch._C._autograd import _get_creation_meta

from .samples import Arguments, tensors

Run = Callable[[Arguments], Any]
Observation = dict[tuple[object, ...], object]
"""What one sample showed. Keys: `("save", label, subset)` and `("frees", subset)` → bool; `("flow", param)`
→ bool; `("mutate", param)` → bumps (0 silent, None none); `("count",)` → how the results come;
`("result", i)` → (kind, of); `("multi", i)`, `("differentiable", i)` → bool; `("dtype", i)` →
(name, name of the first input's); `("node",)` → name. A label is a parameter's name or the number of a result."""

Subset = frozenset[str]
SUBSET_LIMIT = 15


def observe(run: Run, arguments: Arguments) -> Observation:
    """Run the call for each subset of its inputs that may require grad and return what it did.

    Raises whatever the call raises with plain inputs; a subset that PyTorch refuses is left out.
    """
    seen = _effects(run, arguments, frozenset())
    names = [name for name, value in arguments.items() if any(map(may_require_grad, tensors(value)))]
    usable = [name for name in names if _accepted(run, arguments, frozenset({name}))]
    for subset in _subsets(usable):
        try:
            seen |= _observe_subset(run, arguments, subset)
        except (RuntimeError, NotImplementedError, ValueError, TypeError, IndexError):
            continue
    return seen


def may_require_grad(tensor: torch.Tensor) -> bool:
    """Whether PyTorch lets the tensor require grad, among dense ones."""
    return tensor.layout == torch.strided and (tensor.is_floating_point() or tensor.is_complex())


def _subsets(names: list[str]) -> Iterator[Subset]:
    if 2 ** len(names) - 1 <= SUBSET_LIMIT:
        sizes: Any = range(1, len(names) + 1)
    else:
        sizes = (1, len(names)) if len(names) > 5 else (1, 2, len(names))
    for size in sizes:
        yield from map(frozenset, itertools.combinations(names, size))


def _accepted(run: Run, arguments: Arguments, subset: Subset) -> bool:
    try:
        _backward(_carriers(run, _fresh(arguments, subset)))
    except (RuntimeError, NotImplementedError, ValueError, TypeError, IndexError):
        return False
    return True


def _observe_subset(run: Run, arguments: Arguments, subset: Subset) -> Observation:
    seen: Observation = {}
    inputs = _fresh(arguments, subset)
    outputs = results(_run(run, inputs))
    carriers = [*outputs, *_changed(inputs)]
    flowing = any(o.grad_fn is not None for o in carriers)
    if len(subset) == 1:
        seen["flow", *subset] = flowing
    seen |= {("differentiable", i): True for i, o in enumerate(outputs) if o.requires_grad}
    nodes = [o.grad_fn.name() for o in carriers if o.grad_fn is not None]
    if nodes:
        seen["node",] = nodes[0]
    frees = flowing and _second_backward_raises(run, arguments, subset)
    seen["frees", subset] = frees
    for label in (*(n for n, v in arguments.items() if tensors(v)), *range(len(outputs))):
        seen["save", label, subset] = frees and _bump_is_noticed(run, arguments, subset, label)
    return seen


def _changed(inputs: Arguments) -> list[torch.Tensor]:
    """Return the arguments that the call changed, all of which `_fresh` made at version 0."""
    return [t for value in inputs.values() for t in tensors(value) if t._version]


def _effects(run: Run, arguments: Arguments, subset: Subset) -> Observation:
    """Return what the call changes and returns, apart from autograd."""
    inputs = _fresh(arguments, subset)
    before = {n: [(t, t._version, t.detach().clone()) for t in tensors(v)] for n, v in inputs.items()}
    returned = _run(run, inputs)
    seen: Observation = {("mutate", name): _bumps(state) for name, state in before.items() if state}
    outputs = results(returned)
    seen["count",] = _count(returned, outputs)
    given = next((dtype_name(t) for value in inputs.values() for t in tensors(value)), None)
    for i, output in enumerate(outputs):
        seen["result", i] = _relation(output, inputs)
        seen["multi", i] = _is_multi(output)
        seen["dtype", i] = (dtype_name(output), given)
    return seen


def dtype_name(tensor: torch.Tensor) -> str:
    """Return the dtype's name without `torch.`."""
    return str(tensor.dtype).removeprefix("torch.")


def _bumps(state: list[tuple[torch.Tensor, int, torch.Tensor]]) -> int | None:
    """Return by how much versions moved, 0 where the content changed behind the counter's back, None if nothing did."""
    moved = max(t._version - version for t, version, _ in state)
    if moved:
        return moved
    return 0 if any(not _equal(t, content) for t, _, content in state) else None


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


def _relation(output: torch.Tensor, inputs: Arguments) -> tuple[str, str | None]:
    for name, value in inputs.items():
        for t in tensors(value):
            if t is output:
                return "same", name
    memory = _memory(output)
    for name, value in inputs.items():
        for t in tensors(value):
            if memory is not None and memory == _memory(t):
                return ("view" if _share_counter(output, t) else "alias"), name
    return "new", None


def _memory(tensor: torch.Tensor) -> int | None:
    if tensor.layout != torch.strided or tensor.numel() == 0:
        return None
    return tensor.untyped_storage().data_ptr()


def _share_counter(a: torch.Tensor, b: torch.Tensor) -> bool:
    before = b._version
    torch.autograd.graph.increment_version(a)
    return b._version != before


def _is_multi(output: torch.Tensor) -> bool:
    return output._is_view() and _get_creation_meta(output).name == "MULTI_OUTPUT_NODE"


def _fresh(arguments: Arguments, subset: Subset) -> Arguments:
    """Return the arguments with tensors of their own; those of `subset` require grad and are no leaves."""
    return {name: _copied(value, grad=name in subset) for name, value in arguments.items()}


def _copied(value: Any, *, grad: bool) -> Any:
    if isinstance(value, torch.Tensor):
        copy = value.detach().clone()
        return copy.requires_grad_().clone() if grad and may_require_grad(copy) else copy
    if isinstance(value, Mapping):
        return {key: _copied(item, grad=grad) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_copied(item, grad=grad) for item in value)
    return value


def _run(run: Run, inputs: Arguments) -> Any:
    torch.manual_seed(0)
    return run(inputs)


def _carriers(run: Run, inputs: Arguments) -> list[torch.Tensor]:
    """Run and return the tensors that may have a grad_fn now."""
    outputs = results(_run(run, inputs))
    return [*outputs, *_changed(inputs)]


def _backward(outputs: list[torch.Tensor]) -> None:
    reached = [o for o in outputs if o.grad_fn is not None]
    if reached:
        torch.autograd.backward(reached, [torch.ones_like(o) for o in reached])


def _second_backward_raises(run: Run, arguments: Arguments, subset: Subset) -> bool:
    carriers = _carriers(run, _fresh(arguments, subset))
    _backward(carriers)
    try:
        _backward(carriers)
    except RuntimeError as error:
        if "backward through the graph a second time" in str(error):
            return True
        raise
    return False


def _bump_is_noticed(run: Run, arguments: Arguments, subset: Subset, label: str | int) -> bool:
    inputs = _fresh(arguments, subset)
    outputs = results(_run(run, inputs))
    carriers = [*outputs, *_changed(inputs)]
    pieces = any(map(_is_multi, outputs))
    for t in [outputs[label]] if isinstance(label, int) else tensors(inputs[label]):
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
