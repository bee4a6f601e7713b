"""`python -m gradguard.facts.measure [--device cpu] [-o table.json]`: measure PyTorch and write the table."""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterable
from pathlib import Path

import torch

from ..encoding import encode
from ..model import Fact
from ..table import PATH
from . import modules, optimizers
from .catalogue import entries
from .functions import measure


def main() -> None:
    """Measure what the arguments ask for, write the table, print the coverage."""
    parser = argparse.ArgumentParser(prog="python -m gradguard.facts.measure", description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--samples", type=int, default=20, help="samples an OpInfo at most")
    parser.add_argument("-o", "--output", type=Path, default=PATH)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    started = time.perf_counter()
    functions = measure(entries(), options.device, options.samples)
    classes, class_tallies = modules.measure(options.device, options.samples)
    steps, step_tallies = optimizers.measure(options.device)
    facts = [*functions.facts, *classes, *steps]
    write(facts, options.output)
    print(f"{len(facts)} callables in {time.perf_counter() - started:.0f} s")


def write(facts: Iterable[Fact], path: Path) -> None:
    """Write the facts as one JSON object, one line a fact, sorted by name."""
    rows = [f'"{f.name}":{json.dumps(encode(f), separators=(",", ":"))}' for f in sorted(facts, key=lambda f: f.name)]
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
