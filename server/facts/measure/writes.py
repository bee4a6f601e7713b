"""Ask PyTorch what it refuses to write because of its memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .probe import RAISED, fresh
from .samples import call

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .catalogue import Entry
    from .condense import Sample
    from .samples import Arguments

ITSELF = "more than one element of the written-to tensor"
ANOTHER = "some elements of the input tensor and the written-to tensor"
"""how the checks of `aten/src/ATen/MemoryOverlap.h` say what they refuse"""


def is_checked(entry: Entry, written: str, samples: Iterable[Sample]) -> bool:
    """Whether a call refuses to write a tensor whose elements share a place; True where no sample tells."""
    ran = False
    for sample in samples:
        t = sample.arguments.get(written)
        if isinstance(t, torch.Tensor) and t.layout == torch.strided and t.ndim and t.shape[0] > 1:
            folded = t.detach()[:1].clone().expand_as(t)
            outcome = _outcome(entry, {**fresh(sample.arguments, grad=False), written: folded})
            if outcome == ITSELF:
                return True
            ran = ran or outcome is None
    return not ran


def apart(entry: Entry, written: str, samples: Iterable[Sample]) -> frozenset[str]:
    """Return the inputs that must not be the very tensor that is written."""
    found: set[str] = set()
    for sample in samples:
        t = sample.arguments.get(written)
        if not isinstance(t, torch.Tensor):
            continue
        for name, other in sample.arguments.items():
            if name != written and name not in found and isinstance(other, torch.Tensor) and other.dtype == t.dtype:
                same = t.detach().clone()
                if _outcome(entry, {**fresh(sample.arguments, grad=False), written: same, name: same}) == ANOTHER:
                    found.add(name)
    return frozenset(found)


def _outcome(entry: Entry, arguments: Arguments) -> str | None:
    """Return what a call is refused for, None where it runs."""
    torch.manual_seed(0)
    try:
        call(entry, arguments)
    except RAISED as error:
        return next((text for text in (ITSELF, ANOTHER) if text in str(error)), "other")
    return None
