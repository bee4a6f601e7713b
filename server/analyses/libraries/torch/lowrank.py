"""`torch.svd_lowrank` and `torch.pca_lowrank`, by the formulas of `torch/_lowrank.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ...domain import budget
from ...domain.registry import model
from ...operators import calls_by_name
from .formulas import Term, plain, torch

if TYPE_CHECKING:
    from ...domain.values import Args, Value
    from ...python.machine import Machine


@model("torch.svd_lowrank")
def svd_lowrank(m: Machine, args: Args) -> Value:
    """`svd_lowrank(A, q, niter, M)`: decomposes a small product, which is made by products and orthogonal bases."""
    q, rounds = (m.state.resolve(args.get(at, name)) for at, name in ((1, "q"), (2, "niter")))
    a, b = m.state.resolve(args.get(0, "A")), m.state.resolve(args.get(3, "M"))
    made = None
    if b is None or isinstance(b, Tensor):
        made = decomposed(m, a, 6 if q is None else q, 2 if rounds is None else rounds, b)
    return made or calls_by_name.call(m, "torch.svd_lowrank", args)


@model("torch.pca_lowrank")
def pca_lowrank(m: Machine, args: Args) -> Value:
    """`pca_lowrank(A, q, center, niter)`: the same for the matrix, centered or not."""
    q, center = m.state.resolve(args.get(1, "q")), m.state.resolve(args.get(2, "center", True))
    a, rounds = m.state.resolve(args.get(0, "A")), m.state.resolve(args.get(3, "niter", 2))
    made = None
    if isinstance(a, Tensor) and a.shape is not None and len(a.shape) > 1 and isinstance(center, bool):
        rows, columns = a.shape[-2:]
        if q is None and rows is not None and columns is not None:
            q = min(6, rows, columns)
        taken = plain(Term(m, a) - Term(m, a).do("mean", dim=(-2,), keepdim=True)) if center else a
        made = decomposed(m, taken, q, rounds, None)
    return made or calls_by_name.call(m, "torch.pca_lowrank", args)


def decomposed(m: Machine, a: Value, q: Value, rounds: Value, b: Tensor | None) -> tuple[Value, ...] | None:
    """`_svd_lowrank` of `a - b`; None if a size or count that it depends on is unknown."""
    shape = a.shape if isinstance(a, Tensor) else None
    if shape is None or len(shape) < 2 or not isinstance(q, int) or not isinstance(rounds, int):
        return None
    rows, columns = shape[-2:]
    if rows is None or columns is None or rounds > budget.LIMITS.iterations:
        return None
    wide = rows < columns
    terms = [Term(m, a), *([Term(m, b).do("broadcast_to", shape)] if b is not None else [])]
    if wide:
        terms = [adjoint(t) for t in terms]
    flipped = [adjoint(t) for t in terms]
    basis = orthogonal(m, distance(terms, torch(m, "randn", columns if not wide else rows, q)))
    for _ in range(rounds):
        basis = orthogonal(m, distance(flipped, basis))
        basis = orthogonal(m, distance(terms, basis))
    small = adjoint(basis) @ terms[0]
    if b is not None:
        small = small - adjoint(basis) @ terms[1]
    parts = plain(torch(m, "linalg.svd", small, full_matrices=False))
    if not isinstance(parts, tuple):
        return None
    u, s, vh = parts
    left, right = plain(basis @ Term(m, u)), plain(adjoint(Term(m, vh)))
    return (right, s, left) if wide else (left, s, right)


def adjoint(t: Term) -> Term:
    """The conjugate transpose, a view."""
    return torch(t.m, "adjoint", t)


def distance(terms: list[Term], other: Term) -> Term:
    """The product with the first term minus the product with the second."""
    found = terms[0] @ other
    return found - terms[1] @ other if len(terms) > 1 else found


def orthogonal(m: Machine, x: Term) -> Term:
    """The orthogonal basis of a matrix's columns."""
    made = plain(torch(m, "linalg.qr", x))
    return Term(m, made[0] if isinstance(made, tuple) else made)
