"""Calls that PyTorch refuses because elements that are written share memory with others (`ATen/MemoryOverlap.h`)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ..autograd.geometry import Geometry, GeometryError, times
from ..autograd.regions import are_apart, partly_overlaps
from ..autograd.tensors import Tensor, lie_alike
from ..shapes import linalg
from .cases import called

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .call import Call
    from .interpreter import Interpreter


def check_overlap(m: Interpreter, t: Tensor, call: Call) -> bool:
    """`assert_no_internal_overlap`, `assert_no_partial_overlap`, `assert_no_overlap` (ATen/MemoryOverlap.h).

    False where the write is refused for sure.
    """
    g = t.geometry
    if g is not None and g.overlaps_itself() is True and not may_overlap(m, call):
        return not m.grad.fail("overlap-write", "direct", t, detail="itself", once=t.uid, built=t.origin)
    storage = m.grad.storage(t)
    for p, others in call.tensors.items():
        for other in others:
            if m.grad.storage(other) is storage and is_too_near(call, p, t, other):
                return not m.grad.fail("overlap-write", "direct", t, detail="input")
    return True


def may_overlap(m: Interpreter, call: Call) -> bool:
    """Whether a call may write a tensor whose elements share memory, as may the operator that `inplace=True` calls."""
    named = (f"{call.name}_", f"torch.nn.functional.{called(call.name).lower()}_")
    facts = map(m.facts.table.operator, named)
    return call.overlapping or any(fact is not None and fact.overlapping for fact in facts)


def is_too_near(call: Call, p: str, t: Tensor, other: Tensor) -> bool:
    """Whether an argument shares memory with the written tensor in a way that PyTorch refuses."""
    g, h = t.geometry, other.geometry
    if p in call.apart and (other is t or (g is not None and g == h and g.is_dense() is not False)):
        return True
    if other is t or g is None or h is None or p in call.loose or (call.overlapping and p not in call.apart):
        return False
    overlap = partly_overlaps(g, h)
    return overlap == "partial" or (overlap == "full" and p in call.apart)


def is_read_while_written(m: Interpreter, t: Tensor, call: Call) -> bool:
    """Whether a call reads what it has written: `x.addmm_(a, x)`, `x.mul_(x.diagonal())`. PyTorch lets them."""
    storage = m.grad.storage(t)
    near = [(p, other) for p, ts in call.tensors.items() for other in ts if m.grad.storage(other) is storage]
    if called(call.name).removesuffix("_") in linalg.OPS:
        return any(p != "self" for p, _ in near)
    return any(is_mixed_up(t.geometry, other.geometry) for _, other in near if not m.grad.are_one(t, other))


def is_mixed_up(g: Geometry | None, h: Geometry | None) -> bool:
    """Whether two tensors of one storage have elements in common, as far as that is known."""
    if g is None or h is None or None in (*g.shape, *g.strides, g.offset, *h.shape, *h.strides, h.offset):
        return False
    return not are_apart(g, h)


def check_copy(m: Interpreter, target: Tensor, source: Tensor | None = None) -> bool:
    """`copy_` refuses a view whose elements share memory; by which operator `x[i] = 1.5` writes depends on the release.

    False where it is refused for sure.
    """
    if source is not None and is_there(m, target, source):
        return True  # nothing to copy (`copy_impl` of ATen/native/Copy.cpp)
    g, h = target.geometry, None if source is None else as_stored(target, source)
    fact = m.facts.table.operator("torch.Tensor.__setitem__")
    checked = source is not None or fact is None or not fact.overlapping
    if checked and g is not None and g.overlaps_itself() is True:
        return not m.grad.fail("overlap-write", "direct", target, detail="itself", once=target.uid)
    if source is None or g is None or h is None or m.grad.storage(target) is not m.grad.storage(source):
        return True
    if g != h and partly_overlaps(g, h) == "partial":
        return not m.grad.fail("overlap-write", "direct", target, detail="input")
    return True


def check_put(m: Interpreter, target: Tensor, indices: Sequence[Tensor], sources: Sequence[Tensor]) -> bool:
    """`index_put_` refuses a value or an index that shares memory with its target, even all of it.

    If one value goes to everything that a mask selects, PyTorch calls `masked_fill_` (`canDispatchToMaskedFill`), which
    takes the value as a number and refuses only a mask that shares a part of the target's memory. A mask without
    dimensions counts as a number (`boolToIndexingTensor`). False if the write is refused for sure.
    """
    one = not sources or sources[0].shape is None or times(*sources[0].shape) in (1, None)
    filled = one and len(indices) == 1 and indices[0].dtype in (None, "bool") and indices[0].shape != ()
    for value in sources[:1]:
        # A value that begins with a dimension of size 1 is viewed without it, and a view without elements is apart.
        viewed = None if value.geometry is None else less_leading_ones(value.geometry)
        parted = value.shape is not None and value.shape[:1] == (None,) and 0 in value.shape
        same = lie_alike(target, value) and viewed == value.geometry and not parted
        if not filled and overlap(m, target, value, viewed, same) in ("partial", "full"):
            return not m.grad.fail("overlap-write", "direct", target, detail="input")
    for index in indices:
        found = overlap(m, target, index, index.geometry, index is target)
        if found == "partial" or (found == "full" and not filled):
            return not m.grad.fail("overlap-write", "direct", target, detail="input")
    return True


def overlap(m: Interpreter, target: Tensor, other: Tensor, g: Geometry | None, same: bool) -> str:
    """How much of its memory a tensor shares with another of geometry `g`, as far as that is known."""
    if m.grad.storage(target) is not m.grad.storage(other):
        return "no"
    lies = target.geometry
    if same and (other is target or lies is None or lies.is_dense() is not False):
        return "full"
    found = partly_overlaps(target.geometry, g) if target.geometry is not None and g is not None else None
    return found or "no"


def is_there(m: Interpreter, target: Tensor, source: Tensor) -> bool:
    """Whether a value to be stored is, once expanded, the very memory that it is to be stored in."""
    g = target.geometry
    expanded = g is not None and g == as_stored(target, source) and m.grad.storage(target) is m.grad.storage(source)
    return expanded or m.grad.are_one(target, source)


def as_stored(target: Tensor, source: Tensor) -> Geometry | None:
    """The layout of a value once it is expanded to its target's shape (`copy_to` of TensorIndexing.h).

    None if that is unknown, and for a value without dimensions, which is a number that fills the target.
    """
    g, h = target.geometry, source.geometry
    if g is None or h is None or g.shape == h.shape:
        return h
    with suppress(GeometryError):
        return less_leading_ones(h).expand(g.shape) if h.ndim else None
    return h


def less_leading_ones(g: Geometry) -> Geometry:
    """`slicePrefix1sSize` of TensorIndexing.h: a value to be stored, without its leading dimensions of size 1."""
    while g.ndim and g.shape[0] == 1:
        g = g.select(0, 0)
    return g
