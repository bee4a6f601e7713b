"""What is reported of an error, and which process reports it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ..workspace.record import add

if TYPE_CHECKING:
    from pathlib import Path

    from ..workspace.record import Sighting
    from .inspection import Inspector


def who() -> str:
    """Which of several processes this is, by its rank in a group or from `torchrun`: `rank 0 of 2`; empty if alone."""
    rank, size = os.environ.get("RANK"), os.environ.get("WORLD_SIZE")
    group: Any = sys.modules.get("torch.distributed")
    if group is not None and group.is_available() and group.is_initialized():
        rank, size = str(group.get_rank()), str(group.get_world_size())
    return f"rank {rank} of {size}" if rank and size and size != "1" else ""


def tell_of(inspector: Inspector, folder: Path, error: BaseException | None) -> None:
    """Add what is known of an error to the folder of a run."""
    seen = known_of(error, inspector)
    if seen is not None:
        add(folder, seen)


def known_of(error: BaseException | None, inspector: Inspector) -> Sighting | None:
    """What is known of an error; None if nothing. An internal error of ours is printed, and the program goes on."""
    try:
        return inspector.error(error)
    except Exception as fault:
        print(f"gradguard: internal error: {type(fault).__name__}: {fault}", file=sys.stderr)
        return None
