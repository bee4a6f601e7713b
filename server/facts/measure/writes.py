"""Ask PyTorch which tensors a call refuses to write because of their memory: in place, or as `out=`.

Each call is made again with a tensor to write that shares memory, with itself (an expanded one) or with an input:

    torch.add(a, b, out=torch.empty(1).expand(3))   # refused: the three elements share one place in memory
    torch.add(a, b, out=a)                          # runs: `a` is read before it is written
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from .probe import RAISED, fresh, results
from .samples import call

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .catalogue import Entry
    from .condense import Sample
    from .samples import Arguments

ITSELF = "more than one element of the written-to tensor"
ANOTHER = "some elements of the input tensor and the written-to tensor"
"""parts of the messages of the checks in `aten/src/ATen/MemoryOverlap.h`"""

SPARE = 64
"""how many elements follow those of a tensor that shares memory, in case a call writes beyond its shape"""


@dataclass(frozen=True, slots=True)
class Target:
    """A call that writes: its arguments, the name of the one that it writes, and a tensor like that."""

    entry: Entry
    arguments: Arguments
    name: str
    like: torch.Tensor

    def outcome(self, written: torch.Tensor, others: Arguments | None = None) -> str | None:
        """Return why the call is refused if it writes `written`: `ITSELF`, `ANOTHER`, or `other`; None if it runs.

        `others` are arguments to pass instead of its own.
        """
        torch.manual_seed(0)
        try:
            call(self.entry, {**fresh(self.arguments, grad=False), self.name: written, **(others or {})})
        except RAISED as error:
            return next((text for text in (ITSELF, ANOTHER) if text in str(error)), "other")
        return None

    def others(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the tensors that the call takes beside the one that it writes, by name."""
        for name, t in self.arguments.items():
            if name != self.name and isinstance(t, torch.Tensor) and t.layout == torch.strided:
                yield name, t.detach()

    def folded(self, shape: tuple[int, ...]) -> torch.Tensor:
        """Return a tensor to write of this shape, expanded along its first dimension of more than one element."""
        many = next(dim for dim, size in enumerate(shape) if size > 1)
        once = tuple(1 if dim == many else size for dim, size in enumerate(shape))
        memory = self.like.new_zeros(self.like.numel() + SPARE)
        return memory[: math.prod(once)].view(once).expand(shape)


def targets(entry: Entry, written: str | None, samples: Iterable[Sample]) -> list[Target]:
    """Return the calls to try, one for each sample that shows a tensor to write.

    `written` is the parameter that the callable changes in place; None: its `out=`, which is to be like its result.
    """
    found = []
    for sample in samples:
        given = {name: value for name, value in sample.arguments.items() if name != "out"}
        if written is not None:
            like = [t] if isinstance(t := given.get(written), torch.Tensor) else []
        else:
            try:
                like = results(call(entry, fresh(given, grad=False)))
            except RAISED:
                continue
        if len(like) == 1 and like[0].layout == torch.strided:
            found.append(Target(entry, given, written or "out", like[0].detach()))
    return found


def is_checked(calls: Iterable[Target]) -> bool:
    """Whether the callable refuses to write a tensor whose elements share memory; True if no call shows it."""
    ran = False
    for one in calls:
        if one.like.numel() > 1:
            outcome = one.outcome(one.folded(one.like.shape))
            if outcome == ITSELF:
                return True
            ran = ran or outcome is None
    return not ran


def is_early(calls: Iterable[Target]) -> bool:
    """Whether the callable refuses such an `out=` even if it is about to resize it."""
    return any(one.outcome(one.folded((7,))) == ITSELF for one in calls if one.like.shape != (7,))


def apart(calls: Iterable[Target]) -> frozenset[str]:
    """Return the inputs that must not be the very tensor that is written."""
    found: set[str] = set()
    for one in calls:
        for name, other in one.others():
            if name not in found and other.dtype == one.like.dtype and (one.name != "out" or _alike(other, one.like)):
                same = (other if one.name == "out" else one.like).clone()
                if one.outcome(same, {name: same}) == ANOTHER:
                    found.add(name)
    return frozenset(found)


def loose(calls: Iterable[Target]) -> frozenset[str]:
    """Return the inputs that may share a part of their memory with what is written."""
    outcomes: dict[str, set[str | None]] = {}
    for one in calls:
        for name, other in one.others():
            if one.like.numel() > 1 and other.numel() and other.is_floating_point():  # an index must stay in range
                outcomes.setdefault(name, set()).add(_entangled(one, name, other))
    return frozenset(name for name, seen in outcomes.items() if None in seen and ANOTHER not in seen)


def _alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and a.is_contiguous()


def _entangled(one: Target, name: str, other: torch.Tensor) -> str | None:
    """Return why a call is refused if one of its inputs begins in the middle of what it writes; None if it runs."""
    step = max(one.like.element_size(), other.element_size())
    sizes = [t.numel() * t.element_size() for t in (one.like, other)]
    memory = torch.zeros(sum(sizes) + SPARE * step, dtype=torch.uint8)
    written = memory[: sizes[0]].view(one.like.dtype).view(one.like.shape)
    read = memory[step : step + sizes[1]].view(other.dtype).view(other.shape)
    written.copy_(one.like)
    read.copy_(other)
    return one.outcome(written, {name: read})
