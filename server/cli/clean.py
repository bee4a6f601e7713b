"""Remove the caches of the projects below some folders."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from .places import shown
from .status import OK

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `gradguard clean` takes."""
    parser.add_argument("paths", nargs="*", metavar="PATH", default=["."], help="(default: the working directory)")


def run(args: argparse.Namespace) -> int:
    """Remove each cache, including those of the projects that the folders are in. Raises ConfigError."""
    from ..workspace.cache import FOLDER
    from ..workspace.config import find_config

    for path in args.paths:
        start = Path(path).resolve()
        config = find_config(start)
        found = [] if config is None else [config.root / FOLDER]
        for cache in sorted({*found, *start.rglob(FOLDER)}):
            # Anything else with that name is not ours to remove.
            if (cache / "CACHEDIR.TAG").is_file() and not cache.is_symlink():
                shutil.rmtree(cache, ignore_errors=True)
                print(f"removed {shown(str(cache))}")
    return OK
