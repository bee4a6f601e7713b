"""Measure how a call's backward hands its gradient on: as it came, or as a tensor of its own, written how often.

The engine adds gradients up in place where it holds the only reference (`input_buffer.cpp`), so this tells the
version of what `torch.autograd.grad` gives.
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
"""leaves by parameter, each with a tensor that was made of it before the call"""

Seen = dict[str, dict[bool, set[Way]]]
"""by parameter, and whether it has the result's shape: the ways that gradients came"""


def measure(entries: Iterable[Entry], calls: Mapping[str, Sequence[Call]], device: str) -> dict[str, Any]:
    """Return for each callable how its parameters' gradients come, as plain data (`facts/gradients.py` reads it)."""
    found: dict[str, Any] = {}
    for entry in entries:
        samples = [arguments for _, arguments in of_entry(entry, device, SAMPLES)]
        if entry.basename == "getitem":  # a view is for the replay one of `select`, `narrow` or `unsqueeze`
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
    """What the samples show; of gradients that have their result's shape in none of them, what even ones show."""
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
    """Return sample arguments whose tensors have a size of 2 in all dimensions, and whose lists of tensors have one:
    what regroups or joins them may leave such ones as they are.
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
    """Whether a tensor is indexed by numbers, slices, None and `...` alone."""
    *_, index = arguments.values()
    items = index if isinstance(index, tuple) else (index,)
    return all(item is None or item is ... or isinstance(item, slice) or type(item) is int for item in items)


def _empty() -> Seen:
    return defaultdict(lambda: defaultdict(set))


def _add(found: dict[str, Any], name: str, seen: Seen) -> None:
    """Write down what differs from a new, dense tensor that was never written."""
    if seen:
        told = {p: [_written(ways.get(True)), _written(ways.get(False))] for p, ways in seen.items()}
        found[name] = {p: pair for p, pair in told.items() if pair != ["new", "new"]}


def _written(ways: set[Way] | None) -> str | None:
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
    """Build a module and call it; its parameters are leaves too."""
    module = one.build()
    leaves += [(f"self.{name}", p, p * 1) for name, p in module.named_parameters() if p.requires_grad]
    return module(**given)


def _observe(run: Callable[[dict[str, Any], Leaves], Any], arguments: dict[str, Any], seen: Seen) -> None:
    """Add what one call with these arguments shows."""
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
                    passed = storage_of(g) == storage_of(given)
                    dense = _is_dense(g)
                    free = dense if passed else _is_added_to(output, t, earlier, given, g._version)
                    times = [g._version] if s is None else sorted((g._version, s._version))
                    stays = None if s is None else _is_spread(s)
                    parts = _uses(output, t) > 1
                    way = Way(passed, g is given, dense, free, times[0], times[-1], _is_spread(g), stays, parts)
                    seen[name][t.shape == output.shape].add(way)
    except RAISED:
        return


def _grown(name: str, value: Any, leaves: Leaves) -> Any:
    """Return a copy of an argument whose tensors come from new leaves, which are noted."""
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
    """Whether the engine adds in place to the gradient that comes from the output, as the first of two."""
    (both,) = torch.autograd.grad([output, earlier], [t], [given, torch.ones_like(earlier)], retain_graph=True)
    return both._version == version + 1


def _of_spread(output: torch.Tensor, leaves: Sequence[torch.Tensor]) -> Sequence[torch.Tensor | None]:
    """Return the gradients of the leaves where the one that is handed in is expanded; None where that isn't told."""
    if output.numel() == 1:
        return [None] * len(leaves)
    given = torch.rand((), dtype=output.dtype).expand(output.shape)
    handed = torch.autograd.grad(output, leaves, given, retain_graph=True, allow_unused=True)
    return [None if g is None or g.layout != torch.strided else g for g in handed]


def _uses(output: torch.Tensor, leaf: torch.Tensor) -> int:
    """Return how many edges of the output's graph lead to the node that copies a leaf."""
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
    """Whether several elements are one place in memory, as `has_internal_overlap` tells it."""
    return any(stride == 0 and size > 1 for stride, size in zip(t.stride(), t.shape, strict=True))


def _is_dense(t: torch.Tensor) -> bool:
    """Whether the elements fill a stretch of memory, each place once."""
    expected = 1
    for stride, size in sorted((stride, size) for stride, size in zip(t.stride(), t.shape, strict=True) if size != 1):
        if stride != expected:
            return False
        expected *= size
    return True
