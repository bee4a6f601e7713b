"""Linear algebra: decompositions give named tuples; what `cond` and `vander` write before they give it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain.values import Unknown
from ..call import Call, Family
from .names import both, functions, within

if TYPE_CHECKING:
    from ...autograd.gradients import Times
    from ..interpreter import Interpreter


def cond(m: Interpreter, call: Call) -> Times | None:
    """Made of the inverse's norm, where singular matrices are looked for, or else of the singular values."""
    p = call.option(m, "p", None)
    return None if isinstance(p, Unknown) else (int(call.is_empty() or p not in (None, 2, -2, "nuc")),) * 2


def decomposed(m: Interpreter, call: Call) -> Times | None:
    """The singular vectors come as they are; where they aren't asked for, what is given for them was cleared."""
    return (0, 0) if call.option(m, "compute_uv", True) is True else None


def vander(m: Interpreter, call: Call) -> Times | None:
    """Increasing powers are filled in: ones, then the tensor, then the products."""
    n, increasing, g = call.option(m, "N", None), call.option(m, "increasing", False), call.layout("x")
    if increasing is False:
        return 0, 0
    if n is None and g is not None and g.ndim == 1:
        n = g.shape[0]
    return ({0: 0, 1: 1}.get(n, 3),) * 2 if increasing is True and isinstance(n, int) else None


FAMILIES = {
    within("linalg", "cond"): Family(writes=cond, always=True),
    (*functions("vander"), *within("linalg", "vander")): Family(writes=vander),
    (*both("svd"), *within("linalg", "svd")): Family(fields=("U", "S", "V"), unseen_writes=decomposed),
    (*both("qr"), *within("linalg", "qr")): Family(fields=("Q", "R")),
    within("linalg", "eig eigh"): Family(fields=("eigenvalues", "eigenvectors")),
    (*both("slogdet"), *within("linalg", "slogdet")): Family(fields=("sign", "logabsdet")),
    within("linalg", "lstsq"): Family(fields=("solution", "residuals", "rank", "singular_values")),
}
