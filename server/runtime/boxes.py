"""Errors that a worker hands on as text, with what was known of them where they were raised.

A DataLoader, `nn.DataParallel`, and the pools of `multiprocessing` and `concurrent.futures` put the error of a worker
into a box, with its traceback as text. Whoever asks for the result gets an error with this text, and without the graph.
So what is known of the error is noted with the text when the box is made, and reported if nobody handles that error.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..workspace.record import add, added, sighting
from .telling import known_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ..workspace.record import Sighting
    from .inspection import Inspector

FOLDER = "boxes"
"""where the notes are, inside the folder of a run"""

TEXTS = {
    "torch._utils.ExceptionWrapper": "exc_msg",
    "multiprocessing.pool.ExceptionWithTraceback": "tb",
    "concurrent.futures.process._ExceptionWithTraceback": "tb",
}
"""the classes of boxes, and for each the attribute that has the text"""


def open_boxes(folder: Path, inspector: Inspector) -> None:
    """Note from now on which errors are put into boxes in this process, and let `inspector` look among the notes.

    `folder` is that of the run: its processes share the notes.
    """
    notes = folder / FOLDER
    inspector.boxed = partial(_found, notes)
    for name, text in TEXTS.items():
        module, _, kind = name.rpartition(".")
        box: Any = getattr(import_module(module), kind, None)
        if box is not None:
            box.__init__ = _noting(box.__init__, text, notes, inspector)


def _noting(begin: Callable[..., None], text: str, notes: Path, inspector: Inspector) -> Callable[..., None]:
    @wraps(begin)
    def noted(box: Any, *args: Any, **kwargs: Any) -> None:
        seen = known_of(sys.exc_info()[1], inspector)  # a box may take the traceback away
        begin(box, *args, **kwargs)
        if seen is not None:
            with suppress(OSError):  # a process may outlive the folder
                notes.mkdir(exist_ok=True)
            add(notes, seen, text=getattr(box, text))

    return noted


def _found(notes: Path, message: str) -> Sighting | None:
    """What was noted of the error whose text is in a message; None if nothing was."""
    return next((sighting(one) for one in added(notes) if one["text"] in message), None)
