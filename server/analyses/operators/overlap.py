"""Calls that PyTorch refuses because elements that are written share memory with others (`ATen/MemoryOverlap.h`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.regions import partly_overlaps
from .cases import called, torch_fact

if TYPE_CHECKING:
    from ..autograd.tensors import Tensor
    from .call import Call
    from .interpreter import Interpreter


def check_overlap(m: Interpreter, t: Tensor, call: Call) -> bool:
    """`assert_no_internal_overlap`, `assert_no_partial_overlap`, `assert_no_overlap` (ATen/MemoryOverlap.h).

    False where the write is refused for sure.
    """
    g = t.geometry
    if called(call.name) == "copy_" and t in call.tensors.get("src", ()):  # nothing is done then
        return True
    if g is not None and g.overlaps_itself() is True and not may_overlap(call):
        return not m.grad.fail("overlap-write", "direct", t, detail="itself", once=t.uid, built=t.origin)
    storage = m.grad.storage(t)
    for p, others in call.tensors.items():
        for other in others:
            if m.grad.storage(other) is storage and is_too_near(call, p, t, other):
                return not m.grad.fail("overlap-write", "direct", t, detail="input")
    return True


def may_overlap(call: Call) -> bool:
    """Whether a call writes a tensor whose elements share a place; `inplace=True` calls what does it by name."""
    named = (f"{call.name}_", f"torch.nn.functional.{called(call.name).lower()}_")
    return call.overlapping or any(fact is not None and fact.overlapping for fact in map(torch_fact, named))


def is_too_near(call: Call, p: str, t: Tensor, other: Tensor) -> bool:
    """Whether an argument that is of the memory of the written tensor must not be so."""
    g, h = t.geometry, other.geometry
    if p in call.apart and (other is t or (g is not None and g == h and g.is_dense() is not False)):
        return True
    if other is t or g is None or h is None or p in call.loose or (call.overlapping and p not in call.apart):
        return False
    overlap = partly_overlaps(g, h)
    return overlap == "partial" or (overlap == "full" and p in call.apart)
