"""Measure functions and methods: each entry of the catalogue with each of its samples, and variations of them."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

from ..model import Case, Mutation, Op, Result
from . import outs, writes
from .catalogue import named_in_tests, out_of_place
from .condense import Sample, condense, is_advanced
from .probe import RAISED, Observation, Prepare, effects, fresh, observe, of_function, results
from .samples import Arguments, call, full_name, guessed, of_entry, of_info, situation
from .signatures import accepts_out, overloads
from .variations import forms, variations

if TYPE_CHECKING:
    from .catalogue import Entry

SAMPLES = 10
"""how many samples of an OpInfo are used at most; the committed table was measured with as many"""

MOVING = frozenset(f"torch.Tensor.{name}" for name in ("cpu", "cuda", "xpu", "ipu", "mtia"))
"""methods that return the tensor itself if it is on that device, otherwise a copy: one device can't show both"""

Given = Iterable[tuple[str, Arguments]]
"""the arguments of samples, each with its source: an OpInfo's name, `extra` or `guess`"""

Asked = Callable[[Prepare], Observation]
"""what to find out about a call: `observe` or `effects`"""


@dataclass(slots=True)
class Tally:
    """How often the samples of one source ran, how often they raised, and what they raised last."""

    ran: int = 0
    raised: int = 0
    reason: str = ""

    def add(self, other: Tally) -> None:
        """Count what another tally has counted, too."""
        self.ran += other.ran
        self.raised += other.raised
        self.reason = other.reason or self.reason


@dataclass(slots=True)
class Measured:
    """The facts found so far, and the tallies by source."""

    facts: list[Op] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=partial(defaultdict, Tally))
    probes: int = 0
    """how many times the two ways to ask whether a tensor is saved were compared"""
    disagreed: set[str] = field(default_factory=set)
    """callables for which the two ways disagreed: moving versions (`probe.py`), and walking the graph (`walk.py`)"""


def measure(entries: Iterable[Entry], device: str, limit: int, *, varied: bool = True) -> Measured:
    """Measure the entries with at most `limit` samples of an OpInfo, and with variations of these if `varied`."""
    measured = Measured()
    for entry in entries:
        _measure(entry, of_entry(entry, device, limit), device, measured, varied=varied)
    return measured


def declared(entries: Iterable[Entry]) -> Measured:
    """Return what the schemas of the entries declare; nothing is run."""
    measured = Measured()
    for entry in entries:
        if (cases := _declared(entry)) is not None:
            measured.facts.append(_op(entry, cases, [], varied=False))
    return measured


def left_over(tallies: Mapping[str, Tally]) -> list[tuple[Entry, Any]]:
    """Return the OpInfos that no entry has used, each with a callable that only PyTorch's tests have a name for."""
    infos = [info for info in op_db if full_name(info) not in tallies]
    return [(entry, info) for info in infos if (entry := named_in_tests(info.name, info.op)) is not None]


def measure_left_over(some: Iterable[tuple[Entry, Any]], device: str, limit: int) -> Measured:
    """Measure the entries that `left_over` returned, with at most `limit` samples of each OpInfo."""
    measured = Measured()
    for entry, info in some:
        samples = ((full_name(info), arguments) for arguments in of_info(info, entry, device, limit))
        _measure(entry, samples, device, measured, varied=True)
    return measured


def joined(parts: Iterable[Measured]) -> Measured:
    """Return several measurements as one."""
    whole = Measured()
    for part in parts:
        whole.facts += part.facts
        whole.probes += part.probes
        whole.disagreed |= part.disagreed
        for source, tally in part.tallies.items():
            whole.tallies[source].add(tally)
    return whole


def _measure(entry: Entry, given: Given, device: str, measured: Measured, *, varied: bool) -> None:
    samples = _samples(entry, given, device, measured.tallies, varied=varied)
    agreed = [value for sample in samples for key, value in sample.seen.items() if key[0] == "agreed"]
    measured.probes += len(agreed)
    if not all(agreed):
        measured.disagreed.add(entry.name)
    cases = _cases(entry, samples)
    if cases is not None:
        measured.facts.append(_op(entry, cases, samples, varied=varied))


def _cases(entry: Entry, samples: Sequence[Sample]) -> tuple[Case, ...] | None:
    """Return what the samples showed. Without samples, return what the schema declares; None if there is none."""
    if entry.name in MOVING:
        flows = frozenset({"self"})
        return (Case((), flows, (), (), (), (Result("depends", "self"),), node="ToCopyBackward0"),)
    sequence = any(str(r.type).startswith("Tensor[") for f in overloads(entry.name) for r in f.func.returns)
    return condense(entry.params, samples, sequence=sequence) if samples else _declared(entry)


def _op(entry: Entry, cases: tuple[Case, ...], samples: Sequence[Sample], *, varied: bool) -> Op:
    takes_out = accepts_out(entry.name, entry.call)
    written = _written(entry, cases) if varied else None
    writing = (written or takes_out) and varied
    calls = writes.targets(entry, written, samples) if writing else []
    return Op(
        entry.name,
        entry.params,
        cases,
        inplace_of=out_of_place(entry.name) if any(case.mutates for case in cases) else None,
        accepts_out=takes_out,
        out_bumps=_out_bumps(entry, samples, torch.empty_like) if takes_out else (1, 1),
        out_resized=_out_bumps(entry, samples, _misshapen) if takes_out else (1, 1),
        out_graph=outs.graph(entry, cases, samples) if takes_out else "refused",
        out_early=takes_out and writes.is_early(calls),
        apart=writes.apart(calls),
        loose=writes.loose(calls),
        as_out=bool(written) and outs.is_one(entry, samples),
        overlapping=bool(calls) and not writes.is_checked(_telling(entry, calls)),
        measured=bool(samples) or entry.name in MOVING,
    )


def _telling(entry: Entry, calls: list[writes.Target]) -> list[writes.Target]:
    """Return the calls that show what an entry itself checks.

    `x[i] = v` copies a tensor, and puts it at advanced indices, by way of other operators. For numbers it has its own.
    """
    if entry.name != "torch.Tensor.__setitem__":
        return calls
    given = [(one, one.arguments["index"], one.arguments["value"]) for one in calls]
    return [one for one, index, value in given if not is_advanced(index) and isinstance(value, float)]


def _written(entry: Entry, cases: Sequence[Case]) -> str | None:
    """Return the parameter that an in-place method or function (`relu_`) changes; None if it isn't one."""
    changed = [m.what for case in cases for m in case.mutates]
    return changed[0] if entry.name.endswith("_") and changed else None


def _out_bumps(
    entry: Entry, samples: Iterable[Sample], like: Callable[[torch.Tensor], torch.Tensor]
) -> tuple[int, int]:
    """Return how far the version of an `out` moves, at least and at most; (1, 1) if no sample takes it.

    `like` makes the `out` from a result of the call.
    """
    seen: set[int] = set()
    for sample in samples:
        with contextlib.suppress(*RAISED):
            out = [like(o) for o in results(call(entry, fresh(sample.arguments, grad=False)))]
            call(entry, {**fresh(sample.arguments, grad=False), "out": out[0] if len(out) == 1 else tuple(out)})
            seen |= {o._version for o in out}
    return (min(seen), max(seen)) if seen else (1, 1)


def _misshapen(t: torch.Tensor) -> torch.Tensor:
    """Return a tensor that isn't empty, and of another shape than `t`."""
    return torch.ones(*t.shape, 3, dtype=t.dtype, device=t.device)


def _samples(entry: Entry, given: Given, device: str, tallies: dict[str, Tally], *, varied: bool) -> list[Sample]:
    found: list[Sample] = []
    seen: set[object] = set()
    for source, arguments in given:
        original = _observed(entry, observe, arguments, tallies[source])
        found += original
        for asked, other in _varied(entry, arguments, ran=bool(original)) if varied else ():
            if situation(other) not in seen:
                seen.add(situation(other))
                found += _observed(entry, asked, other)
    for arguments in [] if found else guessed(entry, device):
        found += _observed(entry, observe, arguments, tallies["guess"])
    return found


def _varied(entry: Entry, arguments: Arguments, *, ran: bool) -> Iterator[tuple[Asked, Arguments]]:
    """Yield variations of the arguments, each with what to find out about it; `ran`: the original call ran."""
    for varied in variations(entry.params, arguments) if ran else ():
        yield observe, varied
    for varied in forms(arguments):
        yield (effects if ran else observe), varied


def _observed(entry: Entry, asked: Asked, arguments: Arguments, tally: Tally | None = None) -> list[Sample]:
    """Return the sample with what it showed; nothing if the call raises. Either is counted in the tally."""
    tally = tally or Tally()
    try:
        seen = asked(of_function(lambda inputs: call(entry, inputs), arguments))
    except RAISED as error:
        tally.raised += 1
        tally.reason = f"{type(error).__name__}: {error}"
        return []
    tally.ran += 1
    return [Sample(arguments, seen)]


def _declared(entry: Entry) -> tuple[Case, ...] | None:
    """Return what the native schema says of changes and aliases; None if the callable has no schema."""
    native = overloads(entry.name)
    if not native:
        return None
    function = native[0].func
    renamed = {"self": entry.params[0].name} if entry.params else {}
    written = [a.name for a in function.arguments.flat_all if a.annotation is not None and a.annotation.is_write]
    mutates = tuple(Mutation(renamed.get(name, name), 1) for name in written)
    shared = [a.name for a in function.arguments.flat_all if a.annotation is not None and not a.annotation.is_write]
    kind = "same" if written else "view" if shared else "new"
    source = (written or shared or [None])[0]
    result = Result(kind, renamed.get(source, source) if source else None)  # type: ignore[arg-type]
    returned = tuple(result for r in function.returns if r.type.is_tensor_like())
    sequence = any(str(r.type).startswith("Tensor[") for r in function.returns)
    return (Case((), frozenset(), (), (), mutates, returned, sequence=sequence),)
