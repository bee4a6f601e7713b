"""Measure the classes of `torch.nn` with the samples of PyTorch's `module_db`."""

from __future__ import annotations

import copy
import inspect
import itertools
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.parameter import UninitializedParameter
from torch.testing._internal.common_modules import module_db

from ..model import REQUIRED, ModuleFact, Param
from .condense import Sample, condense
from .functions import Tally
from .module_samples import written
from .probe import RAISED, Prepare, Subset, Trial, fresh, observe
from .samples import Arguments, bind, situation
from .signatures import of_signature, of_text
from .variations import variations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TRAINING = Param("training", True)

BIG = 6
"""If a sample of a class has more parameters than this, all of them require grad or none, and no argument is varied."""

RECURRENT = "input_size, hidden_size, num_layers=1, {}bias=True, batch_first=False, dropout=0.0, bidirectional=False"
CONSTRUCTORS = {
    "RNN": RECURRENT.format("nonlinearity='tanh', ") + ", device=None, dtype=None",
    "GRU": RECURRENT.format("") + ", device=None, dtype=None",
    "LSTM": RECURRENT.format("") + ", proj_size=0, device=None, dtype=None",
}
"""the constructors that hide their parameters behind `*args`"""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a module: its class, the constructor's arguments, the mode, and the arguments of `forward`."""

    cls: type[torch.nn.Module]
    constructor: Arguments
    training: bool
    forward: Arguments

    @property
    def arguments(self) -> Arguments:
        """All arguments by name, with `training`; of two with one name, the constructor's."""
        return {**self.forward, **self.constructor, "training": self.training}

    def changed(self) -> Arguments:
        """Return the constructor's arguments that have a default and differ from it."""
        defaults = {p.name: p.default for p in constructor_params(self.cls)}
        return {n: v for n, v in self.constructor.items() if defaults[n] is not REQUIRED and v is not defaults[n]}

    def build(self) -> torch.nn.Module:
        """Construct the module. A lazy one is called once, so that it has its parameters."""
        torch.manual_seed(0)
        module = self.cls(**self.constructor).train(self.training)
        if any(isinstance(p, UninitializedParameter) for p in module.parameters()):
            module(**self.forward)
        return module


def calls(device: str, limit: int) -> dict[str, list[Call]]:
    """Return the calls to measure, by the name of the class: of `module_db` at most `limit` in each mode."""
    found: dict[str, list[Call]] = defaultdict(list)
    for call in by_hand(device):
        found[f"torch.nn.{call.cls.__name__}"].append(call)
    for info in module_db:
        found[f"torch.nn.{info.module_cls.__name__}"] += _calls_of_info(info, device, limit)
    return found


def measure(calls: Mapping[str, Sequence[Call]]) -> tuple[list[ModuleFact], dict[str, Tally]]:
    """Return the facts of the classes, and for each class how often its samples ran and raised."""
    tallies = {name: Tally() for name in calls}
    facts = []
    for name in sorted(calls):
        samples = _samples(calls[name], tallies[name])
        if samples:
            facts.append(_fact(name, samples))
    return facts, tallies


def _fact(name: str, samples: list[tuple[Call, Sample]]) -> ModuleFact:
    cls = samples[0][0].cls
    constructor, forward = constructor_params(cls), forward_params(cls)
    taken = {p.name for p in constructor}
    plainest = min((call for call, _ in samples), key=lambda call: len(call.changed())).build()
    return ModuleFact(
        name,
        constructor,
        tuple(n for n, _ in plainest.named_parameters()),
        tuple(n for n, _ in plainest.named_buffers()),
        forward,
        condense(
            (*constructor, TRAINING, *(p for p in forward if p.name not in taken)), [sample for _, sample in samples]
        ),
    )


def constructor_params(cls: type[torch.nn.Module]) -> tuple[Param, ...]:
    """Return the parameters of the class's constructor."""
    if cls.__name__ in CONSTRUCTORS:
        return of_text(CONSTRUCTORS[cls.__name__])
    found = of_signature(inspect.signature(cls.__init__))[1:]
    return tuple(p for p in found if not p.variadic)


def forward_params(cls: type[torch.nn.Module]) -> tuple[Param, ...]:
    """Return the parameters of the class's `forward`."""
    return of_signature(inspect.signature(cls.forward))[1:]


def _samples(calls: Sequence[Call], tally: Tally) -> list[tuple[Call, Sample]]:
    largest = max(_size(call) for call in calls)
    found: list[tuple[Call, Sample]] = []
    seen: set[object] = set()
    for original in calls:
        for call in (original, *([] if largest > BIG else _varied(original))):
            key = situation(call.arguments)
            if key not in seen:
                seen.add(key)
                found += _observed(call, largest > BIG, tally if call is original else Tally())
    return found


def _size(call: Call) -> int:
    try:
        return sum(1 for _ in call.build().parameters())
    except RAISED:
        return 0


def _varied(call: Call) -> Iterator[Call]:
    params = constructor_params(call.cls)
    given = [call.constructor]
    if any(p.name == "inplace" for p in params):
        given.append({**call.constructor, "inplace": True})
    for constructor in given:
        for varied in variations(params, constructor):
            yield replace(call, constructor=varied)


def _observed(call: Call, together: bool, tally: Tally) -> list[tuple[Call, Sample]]:
    """Return the call with what it showed, nothing if it raises; `together`: the module's parameters are one input."""
    try:
        shown = observe(_preparation(call), [*call.forward, "self"] if together else None)
    except RAISED as error:
        tally.raised += 1
        tally.reason = f"{type(error).__name__}: {error}"
        return []
    tally.ran += 1
    return [(call, Sample(call.arguments, shown))]


def _preparation(call: Call) -> Prepare:
    """Return what makes a trial of the call, each with a module of its own."""
    template = call.build()

    def prepare(subset: Subset) -> Trial:
        module = copy.deepcopy(template)
        own = {f"self.{n}": t for n, t in (*module.named_parameters(), *module.named_buffers())}
        for name, tensor in own.items():
            if isinstance(tensor, torch.nn.Parameter):
                tensor.requires_grad_(name in subset or "self" in subset)
        inputs = {name: fresh(value, grad=name in subset) for name, value in call.forward.items()}
        return Trial({**inputs, **own}, lambda: module(**inputs))

    return prepare


def _calls_of_info(info: Any, device: str, limit: int) -> Iterator[Call]:
    """Yield the calls of a ModuleInfo's samples, at most `limit` in each mode."""
    cls = info.module_cls
    for training in (True, False):
        torch.manual_seed(0)
        inputs = info.module_inputs_func(
            info, device=device, dtype=torch.float32, requires_grad=False, training=training
        )
        calls: dict[object, Call] = {}
        for sample in inputs:
            if sample.forward_input is not None:
                constructor = bind(constructor_params(cls), *_split(sample.constructor_input))
                forward = bind(forward_params(cls), *_split(sample.forward_input))
                if constructor is not None and forward is not None:
                    call = Call(cls, constructor, training, forward)
                    calls.setdefault(situation(call.arguments), call)
        yield from itertools.islice(calls.values(), limit)


def _split(given: Any) -> tuple[Any, Any]:
    return given.args, given.kwargs


def by_hand(device: str) -> Iterator[Call]:
    """Yield calls of the classes that `module_db` lacks."""
    for name, constructor, forward in written(device):
        for training in (True, False):
            yield Call(getattr(torch.nn, name), constructor, training, forward)
