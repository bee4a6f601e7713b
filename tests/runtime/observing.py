"""A function that runs while it is watched, and what is seen of it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import gradguard.runtime
import pytest
import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradguard.workspace.record import Sighting


def observed(run: Callable[[], object]) -> list[Sighting]:
    """What is seen of a function that may fail."""
    expected = pytest.raises(RuntimeError) if run.__name__ == "fails" else nullcontext()
    with expected, gradguard.runtime.watch(tell=False) as session:
        run()
    return session.sightings


def text(sighting: Sighting) -> tuple[str, str, str]:
    """The text of the lines that saved, that changed last, and that failed."""
    assert sighting.saved is not None
    assert sighting.spot is not None
    return sighting.saved.spot.text.strip(), sighting.writes[-1].spot.text.strip(), sighting.spot.text.strip()


def leaf() -> torch.Tensor:
    return torch.ones(4, requires_grad=True)
