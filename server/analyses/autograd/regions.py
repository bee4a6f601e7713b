"""What memory tensors of one storage have in common: the overlap checks of `aten/src/ATen/MemoryOverlap.cpp`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..domain import budget
from .geometry import plus, times

if TYPE_CHECKING:
    from .geometry import Geometry

Overlap = Literal["full", "partial", "no", "too-hard"]


def partly_overlaps(a: Geometry, b: Geometry) -> Overlap | None:
    """How two tensors of one storage overlap (`get_overlap_status`); None if unknown sizes decide.

    Writes such as `copy_` and `add_` raise on "partial" only; "too-hard" passes. Two names of the same tensor are
    "full" whatever their geometry: that is up to the caller.
    """
    if 0 in a.shape or 0 in b.shape:
        return "no"
    dense = a.is_dense(), b.is_dense()
    if False in dense:
        return "too-hard"
    known = [*dense, a.offset, b.offset, a.numel(), b.numel()]
    if None in known:
        return None
    starts, ends = (a.offset, b.offset), (plus(a.offset, a.numel()), plus(b.offset, b.numel()))
    if starts[0] == starts[1] and ends[0] == ends[1]:
        return "full" if a.strides == b.strides else None if None in a.strides or None in b.strides else "partial"
    return "partial" if max(s or 0 for s in starts) < min(e or 0 for e in ends) else "no"


def are_apart(a: Geometry, b: Geometry) -> bool:
    """Whether two tensors of one storage certainly have no element in common."""
    if a.numel() == 0 or b.numel() == 0:
        return True
    one, other = _extent(a), _extent(b)
    if one is None or other is None:
        return False
    if one[1] < other[0] or other[1] < one[0]:
        return True
    few = (a.numel() or 0) <= budget.LIMITS.views and (b.numel() or 0) <= budget.LIMITS.views
    return few and _places(a).isdisjoint(_places(b))


def _extent(g: Geometry) -> tuple[int, int] | None:
    """The first and the last place of a tensor with elements; None if they are unknown."""
    steps = [times(plus(size, -1), stride) for size, stride in zip(g.shape, g.strides, strict=True)]
    last = plus(g.offset, *steps)
    return None if g.offset is None or last is None else (g.offset, last)


def _places(g: Geometry) -> set[int]:
    """The places of the elements of a tensor whose geometry is known."""
    places = {g.offset or 0}
    for size, stride in zip(g.shape, g.strides, strict=True):
        places = {place + (stride or 0) * index for place in places for index in range(size or 0)}
    return places
