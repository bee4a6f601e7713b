"""`python -m gradguard.facts.measure [--device cpu]`: measure the PyTorch that is installed, and record its release."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from .. import releases
from ..encoding import encode
from ..record import DIED, head_of, record, tables_of
from . import apart, branches, coverage, functions, gradients, inference, layouts, modules, optimizers, published, views
from . import derivatives as formulas
from .catalogue import entries
from .merge import merge

if TYPE_CHECKING:
    from ..model import Fact, ModuleFact, OptimizerFact
    from ..record import Died, Tables
    from .catalogue import Entry

Tallies = dict[str, functions.Tally]

Kind = Callable[[Iterable[Any], Mapping[str, Any], str], Mapping[str, Any]]
"""what measures a kind: functions and methods, calls of classes by name, the device → rows by name"""


def main() -> None:
    """Measure on the device that the command line names, record what was found, and print the coverage."""
    parser = argparse.ArgumentParser(prog="python -m gradguard.facts.measure", description=__doc__)
    parser.add_argument("--device", default="cpu", help="what differs there is put beside the facts of the CPU")
    parser.add_argument("--samples", type=int, default=functions.SAMPLES, help="samples an OpInfo or class at most")
    options = parser.parse_args()
    device: str = options.device
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    started = time.perf_counter()
    died: Died = {}
    measured = _functions(device, options.samples, died)
    classes, class_tallies = _classes(device, options.samples, died)
    steps, step_tallies = _optimizers(device, died)
    facts: list[Fact] = [*measured.facts, *classes, *steps]
    shares = {
        "operators": coverage.operators(measured.tallies, device),
        "modules": coverage.share(class_tallies),
        "optimizers": coverage.share(step_tallies),
    }
    release = ".".join(map(str, releases.version(torch.__version__)))
    report = coverage.report(measured, facts, shares, device)
    if device == "cpu":
        tables = {**_others(died), "table": _rows(facts)}
        record(release, tables, {**report, DIED: died} if died else report)
    else:
        known = releases.of(release).table
        head = {**head_of(release), device: report}
        on_cpu = [fact for name in known.names() if (fact := known.find(name)) is not None]
        record(release, {**tables_of(release), "table": _rows(merge(on_cpu, facts, device))}, head)
    print(f"{len(facts)} callables of {torch.__version__} in {time.perf_counter() - started:.0f} s")
    for name, share in shares.items():
        print(f"{name}: {share}")
        for missing, reason in share.missing.items():
            print(f"  {missing}: {reason}")
    for kind, names in died.items():
        print(f"{kind}: PyTorch ends the process for {', '.join(names)}")


def _functions(device: str, limit: int, died: Died) -> functions.Measured:
    """Measure functions and methods; where the process dies, fewer samples, else what is declared."""
    ways: list[Callable[[Iterable[Entry]], functions.Measured]] = [
        partial(functions.measure, device=device, limit=limit),
        partial(functions.measure, device=device, limit=limit, varied=False),
        functions.declared,
    ]
    measured = functions.joined(told for _, told in apart.of(ways, list(entries())) if told is not None)
    hidden = partial(functions.measure_left_over, device=device, limit=limit)
    further = list(apart.of([hidden], functions.left_over(measured.tallies)))
    _note(died, "table", (entry.name for some, told in further if told is None for entry, _ in some))
    return functions.joined([measured, *(told for _, told in further if told is not None)])


def _classes(device: str, limit: int, died: Died) -> tuple[list[ModuleFact], Tallies]:
    """Measure the classes of `torch.nn`."""
    calls = list(modules.calls(device, limit).items())
    parts = list(apart.of([lambda some: modules.measure(dict(some))], calls))
    _note(died, "table", (name for some, told in parts if told is None for name, _ in some))
    found = [told for _, told in parts if told is not None]
    tallies = {name: tally for _, some in found for name, tally in some.items()}
    return [fact for facts, _ in found for fact in facts], tallies


def _optimizers(device: str, died: Died) -> tuple[list[OptimizerFact], Tallies]:
    """Measure the classes of `torch.optim`."""
    parts = list(apart.of([partial(optimizers.measure, device=device)], optimizers.infos()))
    names = (f"torch.optim.{info.optim_cls.__name__}" for some, told in parts if told is None for info in some)
    _note(died, "table", names)
    found = [told for _, told in parts if told is not None]
    tallies = {name: tally for _, some in found for name, tally in some.items()}
    return [fact for facts, _ in found for fact in facts], tallies


def _rows(facts: list[Fact]) -> dict[str, object]:
    return {fact.name: encode(fact) for fact in facts}


def _others(died: Died) -> Tables:
    """Measure the kinds of facts that are known of the CPU alone, read what is published, and return rows by kind."""
    kinds = {
        "gradients": (gradients.measure, gradients.SAMPLES),
        "layouts": (layouts.measure, layouts.SAMPLES),
        "inference": (inference.measure, gradients.SAMPLES),
        "views": (views.measure, views.SAMPLES),
        "branches": (branches.measure, branches.SAMPLES),
    }
    tables: Tables = {kind: _rows_of(kind, measure, limit, died) for kind, (measure, limit) in kinds.items()}
    classes = [some[0].cls for some in modules.calls("cpu", 1).values()]
    return {**tables, "published": published.read(entries(), classes), "derivatives": dict(formulas.read())}


def _rows_of(kind: str, measure: Kind, limit: int, died: Died) -> dict[str, Any]:
    """Measure one kind of facts of functions, methods and classes; those that end a process are added to `died`."""
    of_functions = list(apart.of([lambda some: measure(some, {}, "cpu")], list(entries())))
    calls = list(modules.calls("cpu", limit).items())
    of_classes = list(apart.of([lambda some: measure([], dict(some), "cpu")], calls))
    _note(died, kind, (entry.name for some, told in of_functions if told is None for entry in some))
    _note(died, kind, (name for some, told in of_classes if told is None for name, _ in some))
    return {name: row for _, told in (*of_functions, *of_classes) for name, row in (told or {}).items()}


def _note(died: Died, kind: str, names: Iterable[str]) -> None:
    """Add to `died` the names of callables that could not be measured, because their process ended."""
    if found := sorted({*died.get(kind, ()), *names}):
        died[kind] = found


if __name__ == "__main__":
    main()
