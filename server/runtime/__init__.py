"""The run-time companion: watches PyTorch while a program runs, and names the lines when a backward fails.

    import gradguard.runtime

    with gradguard.runtime.watch() as seen:
        train()

Imports `workspace/record.py` (a `Sighting`: what is reported) and `cli/run.py` (how it is written); PyTorch only once
something is watched, so that the plugins load without it. Begin reading with `session.py`, or with `running.py`, which
`gradguard run` starts. Both put a `Recorder` (`recorder.py`: what is noted) in place (`watching.py`), and ask an
`Inspector` (`inspection.py`) what the notes say of a failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from .session import Session

__all__ = ["watch"]


def watch(silent: bool = True, tell: bool = True) -> AbstractContextManager[Session]:
    """A context in which the program is watched; what was seen is in the session that it gives.

    `silent` also looks for changes that no version counter sees. With `tell`, a report is written to standard error at
    the end. Raises ImportError if there is no PyTorch.
    """
    from .session import watch

    return watch(silent, tell)
