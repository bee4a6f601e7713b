"""Operators that write their result in place before they give it, element by element or along one dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain.values import Unknown
from ..call import Call, Family
from .names import both, functions

if TYPE_CHECKING:
    from ...autograd.gradients import Times
    from ..interpreter import Interpreter


def diff(m: Interpreter, call: Call) -> Times | None:
    """`diff` of order 0 is a copy."""
    n = call.option(m, "n", 1)
    return (int(n == 0),) * 2 if isinstance(n, int) else None


def isclose(m: Interpreter, call: Call) -> Times | None:
    """The comparison is widened to NaNs where they are to be equal, and to the tolerance where there is one."""
    equal_nan, rtol, atol = (
        call.option(m, name, default) for name, default in (("equal_nan", False), ("rtol", 1e-5), ("atol", 1e-8))
    )
    dtype = next((t.dtype for t in call.all()), None)
    if any(isinstance(v, Unknown) for v in (equal_nan, rtol, atol)) or (equal_nan and dtype is None):
        return None
    has_nan = bool(equal_nan) and (dtype or "").startswith(("float", "bfloat", "complex"))
    return (int(has_nan) + int(not (rtol == 0 and atol == 0)),) * 2


def stft(m: Interpreter, call: Call) -> Times | None:
    """A single signal is squeezed in place in the end."""
    g = call.layout()
    return None if g is None else (2 if g.ndim == 1 else 1,) * 2


def area(m: Interpreter, call: Call) -> Times | None:
    """Below no points at all there is an area of zero, which is filled in."""
    g, dim = call.layout("y"), call.option(m, "dim", -1)
    if g is None or not isinstance(dim, int) or not -g.ndim <= dim < g.ndim:
        return None
    return None if g.shape[dim] is None else (int(g.shape[dim] == 0),) * 2


FAMILIES = {
    both("diff"): Family(writes=diff),
    both("isclose"): Family(writes=isclose),
    both("stft"): Family(writes=stft),
    functions("trapezoid trapz"): Family(writes=area, always=True),
}
