"""Draws programs, runs each on PyTorch, and holds GradGuard's answers against it: `python -m tests.fuzz N`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from . import page
from .run import run


def main() -> int:
    """Run, print what differs, and return 1 if something does that is not known."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=500, metavar="N", help="how many programs (%(default)s)")
    parser.add_argument("--seed", default="0", help="which programs (%(default)s)")
    parser.add_argument("--mended", type=int, metavar="M", help="try the fixes of those of the first M that fail (all)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes (%(default)s)")
    parser.add_argument("--page", type=Path, help="the file to write the figures to")
    options = parser.parse_args()
    result = run(
        options.count,
        options.seed,
        options.jobs,
        sys.stderr,
        lambda found: print(found, flush=True),
        mended=options.count if options.mended is None else options.mended,
    )
    print(page.summary(result))
    if options.page:
        options.page.parent.mkdir(exist_ok=True)
        options.page.write_text(page.written(result))
    return 1 if result.unexplained or not result.good_enough else 0


if __name__ == "__main__":
    sys.exit(main())
