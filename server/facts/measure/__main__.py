"""`python -m gradguard.facts.measure [--device cpu] [-o table.json]`: measure PyTorch and write the table."""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from .. import branches as graphs
from .. import derivatives, table
from .. import gradients as ways
from .. import inference as past_autograd
from .. import layouts as laid_out
from .. import views as seen_as
from ..encoding import write_table
from . import branches, coverage, functions, gradients, inference, layouts, modules, optimizers, views
from . import derivatives as formulas
from .catalogue import entries
from .merge import merge

if TYPE_CHECKING:
    from ..model import Fact

COVERAGE = table.PATH.with_name("coverage.json")


def main() -> None:
    """Measure on the device that the arguments name, write table and coverage, print the coverage."""
    parser = argparse.ArgumentParser(prog="python -m gradguard.facts.measure", description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--samples", type=int, default=functions.SAMPLES, help="samples an OpInfo or class at most")
    parser.add_argument("-o", "--output", type=Path, default=table.PATH)
    parser.add_argument("--coverage", type=Path, default=COVERAGE)
    parser.add_argument("--beside", type=Path, help="a table of the CPU, beside whose facts the new ones are put")
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
    report = coverage.report(measured, facts, shares, options.device)
    options.coverage.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if options.beside is not None:
        facts = merge(table.read(options.beside), facts, options.device)
    write_table(facts, options.output)
    ways.write(gradients.measure(entries(), modules.calls(options.device, gradients.SAMPLES), options.device))
    laid_out.write(layouts.measure(entries(), modules.calls(options.device, layouts.SAMPLES), options.device))
    past_autograd.write(inference.measure(entries(), modules.calls(options.device, gradients.SAMPLES), options.device))
    seen_as.write(views.measure(entries(), modules.calls(options.device, views.SAMPLES), options.device))
    graphs.write(branches.measure(entries(), modules.calls(options.device, branches.SAMPLES), options.device))
    derivatives.PATH.write_text(json.dumps(formulas.read(), indent=1) + "\n", encoding="utf-8")
    print(f"{len(facts)} callables in {time.perf_counter() - started:.0f} s")
    for name, share in shares.items():
        print(f"{name}: {share}")
        for missing, reason in share.missing.items():
            print(f"  {missing}: {reason}")


if __name__ == "__main__":
    main()
