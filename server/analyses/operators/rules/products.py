"""Products: which operands they keep. One of matrices may multiply a reshaped copy, and then saves that copy alone.

`matmul`, `linear`, `einsum` and `tensordot` bring their operands into the form that `mm` or `bmm` takes by
`permute`, `expand` and `reshape`; where the strides allow no view, `reshape` copies, and a later change of the
operand is nothing to the graph:

    x = torch.rand(2, 3, 4).transpose(0, 1)     # its first two dimensions can't become one without a copy
    y = x @ w                                   # saves a copy of x, for the gradient of w
    x.mul_(2)                                   # harmless
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.geometry import Geometry, GeometryError, Shape
from ..call import Call, Family
from ..conversions import guess
from ..transposed import lies_otherwise
from .names import both, functional, methods, modules, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....facts.views import Form
    from ...autograd.gradients import Times
    from ...autograd.tensors import Grad, Tensor
    from ..interpreter import Interpreter


NO_COPY = "the product needs no copy of it"


def of_linear(m: Interpreter, call: Call) -> dict[str, Grad]:
    """`linear` folds the leading dimensions of its input into one (`aten/src/ATen/native/Linear.cpp`).

    It multiplies with the transpose of its weight, a view; an input that is a matrix is taken as it is.
    """
    kept: dict[str, Grad] = {"weight": True, "self.weight": True}
    for t in call.tensors.get("input", ()):
        if t.shape is None or len(t.shape) != 2:
            kept["input"] = folded(m, t, False)
    return kept


def of_matmul(m: Interpreter, a: Tensor, b: Tensor) -> dict[str, Grad]:
    """The operands of a product with three dimensions or more (`_matmul_impl` of `native/LinearAlgebra.cpp`).

    A stack of matrices times one matrix or vector that requires grad is folded to one matrix (`should_fold`);
    the one is only kept where the other requires grad. Two stacks are expanded to one shape of batches.
    """
    if a.shape is None or b.shape is None:
        known = (("input", a.geometry, a), ("mat2", b.geometry, b))
        return {p: shared(m, t, g, [range(g.ndim - 2)]) for p, g, t in known if g is not None and g.ndim > 2}
    if len(b.shape) <= 2:
        return {"input": folded(m, a, False)}
    if len(a.shape) <= 2:
        return {"mat2": folded(m, b, True)}
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    return {"input": expanded(m, a, batch), "mat2": expanded(m, b, batch)}


def folded(m: Interpreter, t: Tensor, transposed: bool) -> Grad:
    """Whether all but the last dimension of a tensor (of its transpose) can become one without a copy."""
    g = t.geometry
    if g is None and lies_otherwise(m, t):
        return frozenset({guess(NO_COPY, t, m)})
    if g is None or g.ndim < 3:
        return True
    dims = list(range(g.ndim))
    rows = [*dims[:-2], dims[-1]] if transposed else dims[:-1]
    return shared(m, t, g, [rows])


def expanded(m: Interpreter, t: Tensor, batch: Shape) -> Grad:
    """Whether a stack of matrices, expanded to a shape of batches, can become one batch without a copy."""
    g = t.geometry
    if g is None:
        return True
    try:
        g = g.expand((*batch, *g.shape[-2:]))
    except GeometryError:
        return True
    return shared(m, t, g, [range(len(batch))])


def shared(m: Interpreter, t: Tensor, g: Geometry, groups: Sequence[Sequence[int]]) -> Grad:
    """Whether `t`, laid out as `g`, is itself multiplied once each group of dimensions has become one."""
    merges = g.usually_merges(groups)
    return merges if merges is not None else frozenset({guess(NO_COPY, t, m)})


def broadcast(a: Shape, b: Shape) -> Shape:
    """The common shape of two; a size that isn't known counts as the other one unless that is 1."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    padded = (*(1 for _ in range(len(longer) - len(shorter))), *shorter)
    return tuple(y if x == 1 or (x is None and y != 1) else x for x, y in zip(longer, padded, strict=True))


def writes(m: Interpreter, call: Call) -> Times | None:
    """A vector times a matrix is squeezed in place (`_matmul_impl`).

    `linear` adds its bias in place to the product, unless that is of a matrix, or of contiguous rows and the bias has
    a number for each (`native/Linear.cpp`).
    """
    roles = ("input", "other", "mat2", "weight", "self.weight")
    layouts = [t.geometry for given in roles for t in call.tensors.get(given, ())]
    biases = [t.geometry for given in ("bias", "self.bias") for t in call.tensors.get(given, ())]
    if not layouts:
        return None
    first = layouts[0]
    if first is None or None in layouts:
        return 0, 1 + len(biases)
    squeezed = int([g.ndim for g in layouts if g is not None] == [1, 2])
    if not biases or first.ndim == 2:
        return squeezed, squeezed
    bias, contiguous = biases[0], first.is_contiguous()
    if bias is None or contiguous is None:
        return 0, squeezed + 1
    return (0, 0) if contiguous and bias.ndim == 1 else (squeezed + 1, squeezed + 1)


def form(call: Call, parameter: str, told: Form) -> Form:
    """`linear` saves what it multiplies: what is no matrix is folded first, as `keeps` says."""
    return "itself"


def is_view(call: Call, made: Geometry) -> bool | None:
    """`linear` gives what isn't a matrix the form that it had once its bias is added, if its rows are contiguous."""
    if made.ndim == 2:
        return None
    rows = next((t.geometry for t in call.tensors.get("input", ())), None)
    biased = bool(call.tensors.get("bias") or call.tensors.get("self.bias"))
    return biased and rows is not None and rows.is_contiguous() is True


FAMILIES = {
    (*functional("linear"), *modules("Linear")): Family(
        keeps=of_linear, writes=writes, always=True, form=form, views=is_view
    ),
    (*both("matmul"), *methods("__matmul__ __rmatmul__"), *within("linalg", "matmul"), "operator.matmul"): Family(
        writes=writes, always=True
    ),
}
