"""Measure what autograd sees of calls on inference tensors: whether it records them, and the versions of results."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ..inference import Seen, plain
from .layouts import flat
from .probe import RAISED, fresh, may_require_grad
from .samples import Arguments, call, of_entry, tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .catalogue import Entry
    from .modules import Call

SAMPLES = 20
RESULTS = 4
"""how many results of a call are looked at"""


class Tally:
    """What the samples of one callable showed."""

    def __init__(self) -> None:
        self.versions: dict[int, set[int]] = {}
        """the versions that each result came with, by its number"""
        self.seen: set[bool] = set()
        """whether results required grad, where an argument did"""
        self.refused: set[bool] = set()
        """whether calls were refused, where an argument required grad"""

    def told(self) -> Seen | None:
        """Return it as a fact; None if no call ran."""
        if not self.versions and not self.refused:
            return None
        found = [self.versions.get(result) for result in range(max(self.versions, default=-1) + 1)]
        written = tuple((min(some), max(some)) if some else None for some in found)
        seen = None if len(self.seen) > 1 else self.seen == {True}
        return Seen(written, seen, self.refused == {True})


def measure(entries: Iterable[Entry], calls: Mapping[str, Sequence[Call]], device: str) -> dict[str, dict[str, Any]]:
    """Return, by callable, what its samples showed: the rows that `facts/inference.py` reads.

    `calls` are the calls of modules by class.
    """
    found: dict[str, Tally] = {}
    for entry in entries:
        tally = found[entry.name] = Tally()
        for _, arguments in of_entry(entry, device, SAMPLES):
            _observe(partial(call, entry), arguments, tally)
    for name, some in calls.items():
        tally = found[name] = Tally()
        for one in some:
            _observe(partial(_called, one), one.forward, tally)
    told = {name: tally.told() for name, tally in sorted(found.items())}
    return {name: plain(seen) for name, seen in told.items() if seen is not None}


def _called(one: Call, given: Arguments) -> Any:
    """Build a module and call it."""
    return one.build()(**given)


def _observe(run: Callable[[Arguments], Any], arguments: Arguments, tally: Tally) -> None:
    """Add to the tally what one call shows: first if no tensor requires grad, then if all do that may."""
    given = {name: _copied(value, grad=False) for name, value in arguments.items()}
    memory = {t.untyped_storage().data_ptr() for t in tensors(given) if t.layout == torch.strided}
    torch.manual_seed(0)
    try:
        made = flat(run(given))
    except RAISED:
        return
    own = [number for number, t in enumerate(made[:RESULTS]) if _is_own(t, memory)]
    for number in own:
        tally.versions.setdefault(number, set()).add(made[number]._version)
    _observe_grad(run, {name: _copied(value, grad=True) for name, value in arguments.items()}, own, tally)


def _observe_grad(run: Callable[[Arguments], Any], given: Arguments, own: Sequence[int], tally: Tally) -> None:
    """Add to the tally what the same call shows if tensors require grad; `own` are the numbers of its new results."""
    if not any(t.requires_grad for t in tensors(given)):
        return
    torch.manual_seed(0)
    try:
        made = flat(run(given))
    except RAISED as error:
        tally.refused.add("out=... arguments don't support" in str(error))
        return
    tally.refused.add(False)
    tally.seen |= {made[n].requires_grad for n in own if may_require_grad(made[n])}


def _is_own(t: object, memory: set[int]) -> bool:
    """Whether a result is a normal tensor with memory of its own; `memory` are the addresses of the arguments."""
    if not isinstance(t, torch.Tensor) or t.layout != torch.strided or t.is_inference():
        return False
    return t.untyped_storage().data_ptr() not in memory


def _copied(value: Any, *, grad: bool) -> Any:
    """Return a copy of an argument whose tensors are inference tensors."""
    if isinstance(value, torch.Tensor):
        with torch.inference_mode():
            copy = value.detach().clone()
            return copy.requires_grad_() if grad and may_require_grad(value) else copy
    if type(value) in (list, tuple):
        return type(value)(_copied(item, grad=grad) for item in value)
    return value if isinstance(value, (bool, int, float, str)) else fresh(value, grad=False)
