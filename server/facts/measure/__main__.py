"""`python -m gradguard.facts.measure [--device cpu]`: measure the PyTorch that is installed, and record its release."""

from __future__ import annotations

import argparse
import time
import warnings
from typing import TYPE_CHECKING

import torch

from .. import branches as graphs
from .. import inference as past_autograd
from .. import releases
from ..encoding import encode
from ..record import head_of, record, tables_of
from . import branches, coverage, functions, gradients, inference, layouts, modules, optimizers, views
from . import derivatives as formulas
from .catalogue import entries
from .merge import merge

if TYPE_CHECKING:
    from ..model import Fact
    from ..record import Tables


def main() -> None:
    """Measure on the device that the command line names, record what was found, and print the coverage."""
    parser = argparse.ArgumentParser(prog="python -m gradguard.facts.measure", description=__doc__)
    parser.add_argument("--device", default="cpu", help="what differs there is put beside the facts of the CPU")
    parser.add_argument("--samples", type=int, default=functions.SAMPLES, help="samples an OpInfo or class at most")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    started = time.perf_counter()
    measured = functions.measure(entries(), options.device, options.samples)
    classes, class_tallies = modules.measure(modules.calls(options.device, options.samples))
    steps, step_tallies = optimizers.measure(options.device)
    facts: list[Fact] = [*measured.facts, *classes, *steps]
    shares = {
        "operators": coverage.operators(measured.tallies, options.device),
        "modules": coverage.share(class_tallies),
        "optimizers": coverage.share(step_tallies),
    }
    release = ".".join(map(str, releases.version(torch.__version__)))
    report = coverage.report(measured, facts, shares, options.device)
    if options.device == "cpu":
        record(release, {**_others(), "table": _rows(facts)}, report)
    else:
        known = releases.of(release).table
        head = {**head_of(release), options.device: report}
        on_cpu = [fact for name in known.names() if (fact := known.find(name)) is not None]
        record(release, {**tables_of(release), "table": _rows(merge(on_cpu, facts, options.device))}, head)
    print(f"{len(facts)} callables of {torch.__version__} in {time.perf_counter() - started:.0f} s")
    for name, share in shares.items():
        print(f"{name}: {share}")
        for missing, reason in share.missing.items():
            print(f"  {missing}: {reason}")


def _rows(facts: list[Fact]) -> dict[str, object]:
    return {fact.name: encode(fact) for fact in facts}


def _others() -> Tables:
    """Measure the kinds of facts that are only known of the CPU, and return their rows by kind."""
    seen = inference.measure(entries(), modules.calls("cpu", gradients.SAMPLES), "cpu")
    parts = branches.measure(entries(), modules.calls("cpu", branches.SAMPLES), "cpu")
    return {
        "gradients": gradients.measure(entries(), modules.calls("cpu", gradients.SAMPLES), "cpu"),
        "layouts": dict(layouts.measure(entries(), modules.calls("cpu", layouts.SAMPLES), "cpu")),
        "inference": {name: past_autograd.plain(one) for name, one in seen.items()},
        "views": dict(views.measure(entries(), modules.calls("cpu", views.SAMPLES), "cpu")),
        "branches": {name: graphs.plain(one) for name, one in parts.items()},
        "derivatives": dict(formulas.read()),
    }


if __name__ == "__main__":
    main()
