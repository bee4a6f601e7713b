"""Runs a file as Python would, and tells what is printed where it fails."""

from __future__ import annotations

import runpy
import sys
import traceback
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING
from unittest.mock import patch

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = 60
"""how long a program may run"""


def execute(path: Path) -> None:
    """Run a file as `python path` would, from a fixed seed."""
    import torch

    torch.manual_seed(0)
    torch.set_grad_enabled(True)
    sys.argv = [str(path)]
    with suppress(SystemExit), patch.object(sys, "path", [str(path.parent), *sys.path]):
        runpy.run_path(str(path), run_name="__main__")


def print_error(path: Path, anomaly: bool) -> str:
    """What `printed_error` returns."""
    import torch

    told: list[str] = []

    def hear(message: Warning | str, *_: object, **__: object) -> None:
        told.append(f"UserWarning: {message}\n")

    with warnings.catch_warnings(), torch.autograd.set_detect_anomaly(anomaly):
        warnings.simplefilter("always")
        warnings.showwarning = hear
        try:
            execute(path)
        except Exception:
            return "".join(told) + traceback.format_exc()
    return ""
