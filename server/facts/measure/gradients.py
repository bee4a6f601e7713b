"""Measure how the backward of a call passes its gradient on: the gradient that came, or a new tensor, written or not.

It matters to the versions of gradients: the engine adds them up in place if it holds the only reference to one
(`input_buffer.cpp`). `torch.autograd.grad` is given a gradient, and what it returns is compared with that:

    y, g = x + 1, torch.rand(3)
    torch.autograd.grad(y, x, g)   # (g,), the same memory: `same`. With `x.exp()`, memory of its own: `new`
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ..gradients import Way
from .modules import constructor_params
from .probe import RAISED, fresh, may_require_grad, results
from .samples import Arguments, call, of_entry
from .walk import storage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .catalogue import Entry
    from .modules import Call

SAMPLES = 6

Leaves = list[tuple[str, torch.Tensor, torch.Tensor]]
"""for each tensor of the arguments: its parameter, a leaf, and another tensor made of that leaf before the call"""

Seen = dict[str, dict[bool, set[Way]]]
"""the ways that gradients came, by parameter, and by whether the tensor has the result's shape"""


def measure(entries: Iterable[Entry], calls: Mapping[str, Sequence[Call]], device: str) -> dict[str, Any]:
    """Return, by callable, how the gradients of its parameters are made: the rows that `facts/gradients.py` reads.

    `calls` are the calls of modules by class.
    """
    found: dict[str, Any] = {}
    for entry in entries:
        samples = [arguments for _, arguments in of_entry(entry, device, SAMPLES)]
        if entry.basename == "getitem":  # the replay takes a view for one by `select`, `narrow` or `unsqueeze`
            samples = [arguments for arguments in samples if not _is_basic(arguments)]
        _add(found, entry.name, _of_function(entry, samples))
    for name, some in calls.items():
        seen = _empty()
        for one in some:
            if not any(p.name == "inplace" and one.constructor.get("inplace") for p in constructor_params(one.cls)):
                _observe(partial(_called, one), one.forward, seen)
        _add(found, name, seen)
    return dict(sorted(found.items()))


def _of_function(entry: Entry, samples: Sequence[Arguments]) -> Seen:
    """Return what the samples show.

    Where a parameter has the result's shape in no sample, the samples are run again with all sizes equal.
    """
    seen, even = _empty(), _empty()
    for arguments in samples:
        _observe(lambda given, _: call(entry, given), arguments, seen)
    if any(True not in ways for ways in seen.values()):
        for arguments in samples:
            _observe(lambda given, _: call(entry, given), _evened(arguments), even)
    for parameter, ways in seen.items():
        if True not in ways and True in even[parameter]:
            ways[True] = even[parameter][True]
    return seen


def _evened(value: Any) -> Any:
    """Return the arguments with tensors of size 2 in all dimensions, and with one tensor in each list of tensors.

    What regroups dimensions or joins tensors may then return a result of its argument's shape.
    """
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return torch.rand((2,) * value.ndim, dtype=value.dtype, device=value.device)
    if isinstance(value, dict):
        return {key: _evened(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        some = value[:1] if all(isinstance(item, torch.Tensor) for item in value) else value
        return type(value)(_evened(item) for item in some)
    return value


def _is_basic(arguments: Arguments) -> bool:
    """Whether the arguments are a tensor and an index of numbers, slices, None and `...` alone."""
    *_, index = arguments.values()
    items = index if isinstance(index, tuple) else (index,)
    return all(item is None or item is ... or isinstance(item, slice) or type(item) is int for item in items)


def _empty() -> Seen:
    return defaultdict(lambda: defaultdict(set))


def _add(found: dict[str, Any], name: str, seen: Seen) -> None:
    """Add a callable's row, without parameters whose gradient is always new, dense and never written."""
    if seen:
        told = {p: [_written(ways.get(True)), _written(ways.get(False))] for p, ways in seen.items()}
        found[name] = {p: pair for p, pair in told.items() if pair != ["new", "new"]}


def _written(ways: set[Way] | None) -> str | None:
    """Return the text for the ways of all samples, as `facts/gradients.py` describes it; None if there are none."""
    if not ways:
        return None
    kinds = {"same" if way.same else "passed" if way.passed else "new" for way in ways}
    if len(kinds) > 1:
        return "?"
    (kind,), filled = kinds, {way.dense for way in ways}
    dense = filled == {True}
    low, high = min(way.low for way in ways), max(way.high for way in ways)
    free = {way.free for way in ways}
    kept = "" if free == {dense} else "!" if free == {False} else "|"
    times = "" if high == 0 else str(low) if low == high else f"{low}-{high}"
    spread = "^" if any(way.spread for way in ways) else ""
    shown = {way.stays for way in ways} - {None}
    stays = "?" if len(shown) > 1 else "" if shown <= {kind != "new"} else "+" if True in shown else "-"
    parts = "*" if any(way.parts for way in ways) else ""
    return f"{kind}{'%' if len(filled) > 1 else '' if dense else '~'}{kept}{times}{spread}{stays}{parts}"


def _called(one: Call, given: dict[str, Any], leaves: Leaves) -> Any:
    """Build a module and call it; its parameters are added to the leaves."""
    module = one.build()
    leaves += [(f"self.{name}", p, p * 1) for name, p in module.named_parameters() if p.requires_grad]
    return module(**given)


def _observe(run: Callable[[dict[str, Any], Leaves], Any], arguments: dict[str, Any], seen: Seen) -> None:
    """Add to `seen` what one call with these arguments shows."""
    leaves: Leaves = []
    try:
        inputs = {name: _grown(name, value, leaves) for name, value in arguments.items()}
        torch.manual_seed(0)
        made = [t for t in results(run(inputs, leaves)) if t.grad_fn is not None]
        for output in made[:3]:
            given = torch.rand(output.shape, dtype=output.dtype)
            handed = torch.autograd.grad(output, [t for _, t, _ in leaves], given, retain_graph=True, allow_unused=True)
            once = _of_spread(output, [t for _, t, _ in leaves])
            for (name, t, earlier), g, s in zip(leaves, handed, once, strict=True):
                if g is not None and g.layout == torch.strided and t.numel() > 1:
                    way = _way(output, t, earlier, given, g, s)
                    seen[name][t.shape == output.shape].add(way)
    except RAISED:
        return


def _way(
    output: torch.Tensor,
    t: torch.Tensor,
    earlier: torch.Tensor,
    given: torch.Tensor,
    handed: torch.Tensor,
    once: torch.Tensor | None,
) -> Way:
    """Return how the gradient of `t` is made from that of the output.

    `handed` is what came of the gradient `given`, `once` what came of an expanded one (`_of_spread`). `earlier` was
    made from the leaf of `t` before the call.
    """
    passed = storage_of(handed) == storage_of(given)
    dense = _is_dense(handed)
    free = dense if passed else _is_added_to(output, t, earlier, given, handed._version)
    times = [handed._version] if once is None else sorted((handed._version, once._version))
    stays = None if once is None else _is_spread(once)
    parts = _uses(output, t) > 1
    return Way(passed, handed is given, dense, free, times[0], times[-1], _is_spread(handed), stays, parts)


def _grown(name: str, value: Any, leaves: Leaves) -> Any:
    """Return a copy of an argument whose tensors are made from new leaves, and add these to `leaves`."""
    if isinstance(value, torch.Tensor) and may_require_grad(value):
        leaf = value.detach().clone().requires_grad_()
        copy = leaf.clone()
        leaves.append((name, leaf, copy * 1))
        return copy
    if type(value) in (list, tuple):
        return type(value)(_grown(name, item, leaves) for item in value)
    return fresh(value, grad=False)


def _is_added_to(
    output: torch.Tensor, t: torch.Tensor, earlier: torch.Tensor, given: torch.Tensor, version: int
) -> bool:
    """Whether the engine adds in place to the gradient that comes from the output, if another is added to it.

    That other one comes from `earlier`: its node is older, so the engine runs it later. `version` is the version that
    the gradient has when it comes alone.
    """
    (both,) = torch.autograd.grad([output, earlier], [t], [given, torch.ones_like(earlier)], retain_graph=True)
    return both._version == version + 1


def _of_spread(output: torch.Tensor, leaves: Sequence[torch.Tensor]) -> Sequence[torch.Tensor | None]:
    """Return the gradients of the leaves if the incoming gradient is expanded; None where that shows nothing."""
    if output.numel() == 1:
        return [None] * len(leaves)
    given = torch.rand((), dtype=output.dtype).expand(output.shape)
    handed = torch.autograd.grad(output, leaves, given, retain_graph=True, allow_unused=True)
    return [None if g is None or g.layout != torch.strided else g for g in handed]


def _uses(output: torch.Tensor, leaf: torch.Tensor) -> int:
    """Return how many edges of the output's graph lead to the argument: to the node that copied it from its leaf."""
    count, todo, seen = 0, [output.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            after = [n for n, _ in node.next_functions]
            count += sum(n is not None and _copies(n, leaf) for n in after)
            todo += after
    return count


def _copies(node: torch.autograd.graph.Node, leaf: torch.Tensor) -> bool:
    return any(getattr(n, "variable", None) is leaf for n, _ in node.next_functions)


def _is_spread(t: torch.Tensor) -> bool:
    """Whether several elements share one place in memory, as PyTorch's `has_internal_overlap` decides it."""
    return any(stride == 0 and size > 1 for stride, size in zip(t.stride(), t.shape, strict=True))


def _is_dense(t: torch.Tensor) -> bool:
    """Whether the elements fill a stretch of memory without gaps, each place once."""
    expected = 1
    for stride, size in sorted((stride, size) for stride, size in zip(t.stride(), t.shape, strict=True) if size != 1):
        if stride != expected:
            return False
        expected *= size
    return True
