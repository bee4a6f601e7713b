"""A callback for transformers: `Trainer(callbacks=[GradGuard()])` reports backwards that fail or are silently wrong."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from .session import Session

if TYPE_CHECKING:
    from types import TracebackType


class GradGuard(TrainerCallback):  # type: ignore[misc]
    """Watches training from its start to its end, then reports to standard error; `silent` as in `Session`.

    A Trainer has no event for an error that ends it, so `sys.excepthook` is taken over meanwhile.
    """

    def __init__(self, silent: bool = True) -> None:
        self.session = Session(silent)
        self._told_before = sys.excepthook

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Watch from here on."""
        self._told_before, sys.excepthook = sys.excepthook, self._fail
        self.session.start()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Report what was silently wrong."""
        self._end()

    def _fail(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        self._told_before(kind, error, traceback)
        self.session.fail(error)
        self._end()

    def _end(self) -> None:
        sys.excepthook = self._told_before
        self.session.stop()
        print(end=self.session.report(), file=sys.stderr)
