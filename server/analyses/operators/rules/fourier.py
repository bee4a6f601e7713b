"""Fourier transforms: what they save depends on the sizes (`native/SpectralOps.cpp`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from ..cases import one_or_more
from ..conversions import guess
from .names import within

if TYPE_CHECKING:
    from ....facts.model import Case, Op
    from ...autograd.geometry import Shape
    from ...autograd.tensors import Grad
    from ...domain.values import Value
    from ..interpreter import Interpreter

CONJUGATED = within("fft", "ihfft ihfft2 ihfftn")
REAL = (*within("fft", "rfft rfft2 rfftn"), *CONJUGATED)
"""transforms of real numbers; of the others, complex inputs are not saved"""


def plain_case(m: Interpreter, op: Op, call: Call) -> Case:
    """The last case of the fact: what a transform saves is decided by `keeps`."""
    return op.cases[-1]


def keeps(m: Interpreter, call: Call) -> dict[str, Grad]:
    """Whether a transform saves its input: real numbers to which it adds none."""
    t = next(iter(call.tensors.get("input", ())), None)
    if t is None:
        return {"input": True}
    if t.dtype is not None and t.dtype.startswith("complex"):
        return {"input": False}
    wanted, dims = (listed(m, call.values.get(p)) for p in ("n" if "n" in call.values else "s", "dim"))
    whole = True if wanted is None else is_as_long(t.shape, wanted, dims or tuple(range(-len(wanted), 0)))
    if whole is not None and (t.dtype is not None or call.name in REAL):
        return {"input": whole}
    return {"input": frozenset({guess("the transform needs no copy of it", t, m)})}


def listed(m: Interpreter, v: Value) -> tuple[Value, ...] | None:
    """The numbers of an argument that takes one or several; None where it isn't given."""
    return None if v is None else one_or_more(m, v)


def is_as_long(shape: Shape | None, sizes: tuple[Value, ...], places: tuple[Value, ...]) -> bool | None:
    """Whether a tensor has in some dimensions the `sizes` or more."""
    found: bool | None = True
    for size, dim in zip(sizes, places, strict=False):
        known = isinstance(size, int) and isinstance(dim, int) and shape is not None and -len(shape) <= dim < len(shape)
        own = shape[dim] if known else None  # type: ignore[index]
        if own is None:
            found = None
        elif size > own:
            return False
    return found


FAMILIES = {
    within("fft", "fft ifft rfft rfft2 rfftn"): Family(case=plain_case, keeps=keeps),
    CONJUGATED: Family(case=plain_case, keeps=keeps, conjugated=True),
}
