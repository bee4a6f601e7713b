"""A progress bar for long runs, on standard error if that is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONG = 50
"""From this many files on, a run gets a bar."""


@contextmanager
def progress(files: int) -> Iterator[Callable[[int], None]]:
    """A context that gives a function to call with the number of files checked since the last call."""
    if files < LONG or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Checking", total=files)
        yield lambda done: bar.advance(task, done)
