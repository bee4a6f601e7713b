"""A callback for transformers: `Trainer(callbacks=[GradGuard()])` tells where a backward fails or is silently wrong."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from .session import Session

if TYPE_CHECKING:
    from types import TracebackType


class GradGuard(TrainerCallback):  # type: ignore[misc]
    """Observes from the start of training to its end; a Trainer does not say when it fails, but Python does."""

    def __init__(self, silent: bool = True) -> None:
        self.session = Session(silent)
        self._told_before = sys.excepthook

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Observe from here on."""
        self._told_before, sys.excepthook = sys.excepthook, self._fail
        self.session.start()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Tell what was silently wrong."""
        self._end()

    def _fail(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        self._told_before(kind, error, traceback)
        self.session.fail(error)
        self._end()

    def _end(self) -> None:
        sys.excepthook = self._told_before
        self.session.stop()
        print(end=self.session.report(), file=sys.stderr)
