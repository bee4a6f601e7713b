"""`python -m gradguard.facts.measure [--device cpu]`: measure the PyTorch that is installed, and record its release."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from .. import releases
from ..encoding import encode
from ..record import DIED, head_of, record, tables_of
from . import (
    apart,
    branches,
    coverage,
    functions,
    gradients,
    habits,
    inference,
    layouts,
    members,
    modules,
    optimizers,
    published,
    views,
)
from . import derivatives as formulas
from .catalogue import entries
from .merge import merge

if TYPE_CHECKING:
    from ..model import Fact, ModuleFact, OptimizerFact
    from ..record import Died, Tables
    from .catalogue import Entry

Item = TypeVar("Item")
T = TypeVar("T")

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
    measured = functions.joined(_apart(ways, list(entries()), died, "table", lambda entry: entry.name))
    hidden = partial(functions.measure_left_over, device=device, limit=limit)
    left_over = functions.left_over(measured.tallies)
    return functions.joined([measured, *_apart([hidden], left_over, died, "table", lambda some: some[0].name)])


def _classes(device: str, limit: int, died: Died) -> tuple[list[ModuleFact], Tallies]:
    """Measure the classes of `torch.nn`."""
    calls = list(modules.calls(device, limit).items())
    return _together(_apart([lambda some: modules.measure(dict(some))], calls, died, "table", lambda call: call[0]))


def _optimizers(device: str, died: Died) -> tuple[list[OptimizerFact], Tallies]:
    """Measure the classes of `torch.optim`."""
    measure = partial(optimizers.measure, device=device)
    return _together(_apart([measure], optimizers.infos(), died, "table", optimizers.name_of))


def _together(parts: Iterable[tuple[list[T], Tallies]]) -> tuple[list[T], Tallies]:
    """Join facts and tallies that were measured a few at a time."""
    facts: list[T] = []
    tallies: Tallies = {}
    for some, counted in parts:
        facts += some
        tallies |= counted
    return facts, tallies


def _apart(
    ways: Sequence[Callable[[Sequence[Item]], T]],
    items: Sequence[Item],
    died: Died,
    kind: str,
    name: Callable[[Item], str],
) -> list[T]:
    """Measure in processes of their own; the names of items on which these died are added to `died` under `kind`."""
    parts = list(apart.of(ways, items))
    if names := {name(item) for some, told in parts if told is None for item in some}:
        died[kind] = sorted({*died.get(kind, ()), *names})
    return [told for _, told in parts if told is not None]


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
    told = published.read(entries(), classes)
    rest: Tables = {"derivatives": dict(formulas.read()), "habits": habits.measure(), "members": members.measure()}
    return {**tables, "published": told, **rest}


def _rows_of(kind: str, measure: Kind, limit: int, died: Died) -> dict[str, Any]:
    """Measure one kind of facts of functions, methods and classes; those that end a process are added to `died`."""
    calls = list(modules.calls("cpu", limit).items())
    parts = [
        *_apart([lambda some: measure(some, {}, "cpu")], list(entries()), died, kind, lambda entry: entry.name),
        *_apart([lambda some: measure([], dict(some), "cpu")], calls, died, kind, lambda call: call[0]),
    ]
    return {name: row for rows in parts for name, row in rows.items()}


if __name__ == "__main__":
    main()
