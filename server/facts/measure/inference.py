"""Measure how often the results of calls on inference tensors were written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .functions import CRASHING
from .layouts import flat
from .probe import RAISED, fresh
from .samples import Arguments, call, of_entry, tensors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .catalogue import Entry

SAMPLES = 6

Seen = dict[int, set[int]]
"""by result, its versions"""


def measure(entries: Iterable[Entry], device: str) -> dict[str, list[list[int] | None]]:
    """Return for each callable the least and greatest version of its results (`facts/inference.py` reads it)."""
    found: dict[str, list[list[int] | None]] = {}
    for entry in entries:
        if entry.name not in CRASHING:
            seen: Seen = {}
            for _, arguments in of_entry(entry, device, SAMPLES):
                _observe(entry, arguments, seen)
            if seen:
                versions = [seen.get(result) for result in range(max(seen) + 1)]
                found[entry.name] = [[min(some), max(some)] if some else None for some in versions]
    return dict(sorted(found.items()))


def _observe(entry: Entry, arguments: Arguments, seen: Seen) -> None:
    """Add what one call shows."""
    with torch.inference_mode():
        given = fresh(arguments, grad=False)
        if not all(t.is_inference() for t in tensors(given)):
            given = {name: _copied(value) for name, value in given.items()}
    memory = {t.untyped_storage().data_ptr() for t in tensors(given) if t.layout == torch.strided}
    torch.manual_seed(0)
    try:
        made = flat(call(entry, given))
    except RAISED:
        return
    for number, t in enumerate(made[:4]):
        if not isinstance(t, torch.Tensor) or t.layout != torch.strided or t.is_inference():
            continue
        if t.untyped_storage().data_ptr() not in memory:
            seen.setdefault(number, set()).add(t._version)


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return type(value)(map(_copied, value)) if type(value) in (list, tuple) else value
