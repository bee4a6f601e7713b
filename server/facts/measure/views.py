"""Measure how calls save their arguments, and which of their results are views of tensors that they made.

What a node saved may lie in an argument's memory without being that argument. A result may be a view although its
memory is none of the arguments': its base is a tensor that the call made and nobody else has.

    torch.einsum("bij,jk->bik", a, b)   # saves views of both; under no_grad, its result is a view
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch._C._autograd import _get_creation_meta

from .layouts import flat
from .modules import constructor_params
from .probe import RAISED, fresh, may_require_grad, results
from .samples import Arguments, call, of_entry, tensors
from .walk import nodes, saved, storage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..views import Form
    from .catalogue import Entry
    from .modules import Call

SAMPLES = 12

Saved = dict[str, set["Form"]]
"""how each parameter was saved"""

Views = dict[tuple[int, int], set[bool]]
"""whether a result was a view, by its number and its rank"""


def measure(entries: Iterable[Entry], calls: Mapping[str, Sequence[Call]], device: str) -> dict[str, dict[str, Any]]:
    """Return, by callable, what isn't usual: the rows that `facts/views.py` reads.

    `calls` are the calls of modules by class.
    """
    found: dict[str, dict[str, Any]] = {}
    for entry in entries:
        forms: Saved = defaultdict(set)
        views: Views = defaultdict(set)
        for _, arguments in of_entry(entry, device, SAMPLES):
            _observe_saved(partial(call, entry), fresh(arguments, grad=True), {}, forms)
            _observe_results(partial(call, entry), fresh(arguments, grad=False), views)
        _add(found, entry.name, forms, views)
    for name, some in calls.items():
        forms, views = defaultdict(set), defaultdict(set)
        for one in some:
            if not any(p.name == "inplace" and one.constructor.get("inplace") for p in constructor_params(one.cls)):
                _observe_module(one, forms, views)
        _add(found, name, forms, views)
    return dict(sorted(found.items()))


def _add(found: dict[str, dict[str, Any]], name: str, forms: Saved, views: Views) -> None:
    """Add a callable's row: arguments that aren't saved themselves, results that are views. Without any, add none."""
    told: dict[str, Any] = {}
    unusual = {label: _form(seen) for label, seen in sorted(forms.items()) if seen not in (set(), {"itself"})}
    if unusual:
        told["saved"] = unusual
    count = max((number for (number, _), seen in views.items() if seen == {True}), default=-1) + 1
    if count:
        told["results"] = [
            sorted(rank for (number, rank), seen in views.items() if number == one and seen == {True})
            for one in range(count)
        ]
    if told:
        found[name] = told


def _form(seen: set[Form]) -> Form:
    """Return the form that all samples showed; if they disagree, `view`, from which the least follows."""
    return next(iter(seen)) if len(seen) == 1 else "view"


def _observe_module(one: Call, forms: Saved, views: Views) -> None:
    """Add what one call of a module shows."""
    try:
        module = one.build()
    except RAISED:
        return
    own = {f"self.{name}": t for name, t in (*module.named_parameters(), *module.named_buffers())}
    _observe_saved(lambda given: module(**given), fresh(one.forward, grad=True), own, forms)
    _observe_results(lambda given: one.build()(**given), fresh(one.forward, grad=False), views)


def _observe_saved(
    run: Callable[[Arguments], Any], given: Arguments, own: Mapping[str, torch.Tensor], forms: Saved
) -> None:
    """Add how a call saves its arguments, and how a module saves its `own` tensors.

    A tensor counts if no other has its memory, and if it was not written.
    """
    labelled = [(name, t) for name, value in (*given.items(), *own.items()) for t in tensors(value)]
    versions = [t._version for _, t in labelled]
    torch.manual_seed(0)
    try:
        made = [t for t in results(run(given)) if may_require_grad(t)]
        graph = list(nodes([*made, *(t for _, t in labelled)]))
        kept = [t for node in graph for t in saved(node)]
    except RAISED:
        return
    memory = {name: {storage_of(t) for other, t in labelled if other == name} - {None} for name, _ in labelled}
    for (name, t), version in zip(labelled, versions, strict=True):
        place = storage_of(t)
        alone = place is not None and sum(place in places for places in memory.values()) == 1
        if alone and t._version == version and not any(storage_of(one) == place for one in made):
            forms[name] |= {_form_of(one, t) for one in kept if storage_of(one) == place}


def _form_of(kept: torch.Tensor, given: torch.Tensor) -> Form:
    if kept is given:
        return "itself"
    return "pieces" if kept._is_view() and _get_creation_meta(kept).name == "MULTI_OUTPUT_NODE" else "view"


def _observe_results(run: Callable[[Arguments], Any], given: Arguments, views: Views) -> None:
    """Add which new results are views if the call runs under `no_grad`."""
    memory = {storage_of(t) for value in given.values() for t in tensors(value)}
    torch.manual_seed(0)
    try:
        with torch.no_grad():
            made = flat(run(given))
    except RAISED:
        return
    for number, t in enumerate(made[:4]):
        if isinstance(t, torch.Tensor) and t.numel() and t.layout == torch.strided and storage_of(t) not in memory:
            views[number, t.ndim].add(t._is_view() and _get_creation_meta(t).name == "NO_GRAD_MODE")
