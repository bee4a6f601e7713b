"""A progress bar for long runs, on standard error if that is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONG = 50
"""From so many files on, a run is worth a bar."""


@contextmanager
def progress(files: int) -> Iterator[Callable[[], None]]:
    """Within the block, what to call for each file that was read; the replay comes after the last."""
    if files < LONG or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=files)

        def advance() -> None:
            bar.advance(task)
            if bar.finished:
                # How long the replay takes is not known: the bar pulses.
                bar.update(task, description="Replaying", total=None)

        yield advance
