"""A callback for Lightning: `Trainer(callbacks=[GradGuard()])` reports where a backward fails or is silently wrong."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .session import Session

try:
    from lightning.pytorch import Callback
except ImportError:
    from pytorch_lightning import Callback

if TYPE_CHECKING:
    from typing import TypeAlias

    Trainer: TypeAlias = Any
    Module: TypeAlias = Any


class GradGuard(Callback):  # type: ignore[misc]
    """Watches training from its start to its end, then reports to standard error; `silent` as in `Session`."""

    def __init__(self, silent: bool = True) -> None:
        self.session = Session(silent)

    def on_fit_start(self, trainer: Trainer, pl_module: Module) -> None:
        """Watch from here on."""
        self.session.start()

    def on_exception(self, trainer: Trainer, pl_module: Module, exception: BaseException) -> None:
        """Report the error, which Lightning raises again."""
        self.session.fail(exception)
        self._end()

    def on_fit_end(self, trainer: Trainer, pl_module: Module) -> None:
        """Report what was silently wrong."""
        self._end()

    def _end(self) -> None:
        self.session.stop()
        print(end=self.session.report(), file=sys.stderr)
