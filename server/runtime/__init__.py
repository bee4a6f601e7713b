"""The run-time companion: watches PyTorch while a program runs, and names the lines when a backward fails.

    import gradguard.runtime

    with gradguard.runtime.watch() as seen:
        train()

PyTorch is imported by `watch` alone, so that the plugins for pytest and others can be loaded without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from .session import Session

__all__ = ["watch"]


def watch(silent: bool = True, tell: bool = True) -> AbstractContextManager[Session]:
    """A context in which the program is observed; see `Session`."""
    from .session import watch

    return watch(silent, tell)
