"""Which operands a product keeps. One of matrices may multiply a reshaped copy, and then saves that copy alone.

`matmul`, `linear`, `einsum` and `tensordot` bring their operands into the form that `mm` or `bmm` takes by
`permute`, `expand` and `reshape`; where the strides allow no view, `reshape` copies, and a later change of the
operand is nothing to the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import views
from ..autograd.geometry import Geometry, GeometryError, Shape
from ..domain.values import ListV
from .conversions import guess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...facts.views import Form
    from ..autograd.tensors import Grad, Tensor
    from ..domain.values import Value
    from .call import Call
    from .interpreter import Interpreter

LINEAR = frozenset({"torch.nn.functional.linear", "torch.nn.Linear"})
MASKED = "torch.masked.prod"
REAL_TRANSFORMS = frozenset(f"torch.fft.{name}" for name in ("rfft", "rfft2", "rfftn", "ihfft", "ihfft2", "ihfftn"))
"""Fourier transforms of real numbers, which alone are saved"""
TRANSFORMS = REAL_TRANSFORMS | {"torch.fft.fft", "torch.fft.ifft"}
"""with those that take complex ones too"""


def of_linear(m: Interpreter, tensors: Mapping[str, Sequence[Tensor]]) -> dict[str, Grad]:
    """`linear` folds the leading dimensions of its input into one (`aten/src/ATen/native/Linear.cpp`).

    It multiplies with the transpose of its weight, a view; an input that is a matrix is taken as it is.
    """
    kept: dict[str, Grad] = {"weight": True, "self.weight": True}
    for t in tensors.get("input", ()):
        if t.shape is None or len(t.shape) != 2:
            kept["input"] = folded(m, t, False)
    return kept


def of_attention(m: Interpreter, tensors: Mapping[str, Sequence[Tensor]], batch_first: bool) -> dict[str, Grad]:
    """`MultiheadAttention` projects its inputs by `linear`, their sequence before their batch."""
    kept: dict[str, Grad] = {"self.in_proj_weight": True, "self.out_proj.weight": True}
    for name in ("query", "key", "value"):
        for t in tensors.get(name, ()):
            g = t.geometry
            if g is not None and g.ndim == 3:
                kept[name] = shared(m, t, g, [(1, 0) if batch_first else (0, 1)])
    return kept


def of_matmul(m: Interpreter, a: Tensor, b: Tensor) -> dict[str, Grad]:
    """The operands of a product with three dimensions or more (`_matmul_impl` of `native/LinearAlgebra.cpp`).

    A stack of matrices times one matrix or vector that requires grad is folded to one matrix (`should_fold`);
    the one is only kept where the other requires grad. Two stacks are expanded to one shape of batches.
    """
    if a.shape is None or b.shape is None:
        return {}
    if len(b.shape) <= 2:
        return {"input": folded(m, a, False)}
    if len(a.shape) <= 2:
        return {"mat2": folded(m, b, True)}
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    return {"input": expanded(m, a, batch), "mat2": expanded(m, b, batch)}


def of_masked_product(values: Mapping[str, Value], tensors: Mapping[str, Sequence[Tensor]]) -> dict[str, Grad]:
    """`torch.masked.prod` multiplies one dimension after the other (`torch/masked/_ops.py`), and each saves both ends.

    A mask or another dtype make a copy first; where there is no dimension, nothing is saved.
    """
    shape = next((t.shape for t in tensors.get("input", ())), None)
    if shape is None or (shape == () and values.get("dim") in (None, ())):
        return {}
    plain = values.get("mask") is None and values.get("dtype") is None
    return {"input": True, "out": True} if plain else {"out": True}


def of_transform(
    m: Interpreter, name: str, values: Mapping[str, Value], tensors: Mapping[str, Sequence[Tensor]]
) -> Grad:
    """Whether a Fourier transform saves its input: real numbers to which it adds none (`SpectralOps.cpp`)."""
    t = next(iter(tensors.get("input", ())), None)
    if t is None:
        return True
    if t.dtype is not None and t.dtype.startswith("complex"):
        return False
    wanted, dims = (listed(m, values.get(p)) for p in ("n" if "n" in values else "s", "dim"))
    whole = True if wanted is None else is_as_long(t.shape, wanted, dims or tuple(range(-len(wanted), 0)))
    real = t.dtype is not None or name in REAL_TRANSFORMS
    return whole if whole is not None and real else frozenset({guess("the transform needs no copy of it", t, m)})


def listed(m: Interpreter, v: Value) -> tuple[Value, ...] | None:
    """The numbers of an argument that takes one or several; None where it isn't given."""
    return None if v is None else m.state.tuple_of(v.items) if isinstance(v, ListV) else v if type(v) is tuple else (v,)


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


def folded(m: Interpreter, t: Tensor, transposed: bool) -> Grad:
    """Whether all but the last dimension of a tensor (of its transpose) can become one without a copy."""
    g = t.geometry
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
    merges = g.merges(groups)
    return merges if merges is not None else frozenset({guess("the product needs no copy of it", t, m)})


def broadcast(a: Shape, b: Shape) -> Shape:
    """The common shape of two; a size that isn't known counts as the other one unless that is 1."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    padded = (*(1 for _ in range(len(longer) - len(shorter))), *shorter)
    return tuple(y if x == 1 or (x is None and y != 1) else x for x, y in zip(longer, padded, strict=True))


def saved_as(call: Call, parameter: str) -> Form:
    """As what a call saves an argument; `linear` takes a matrix as it is.

    Attention takes apart the weight that projects its inputs, unless these are one.
    """
    form: Form = "itself" if call.name in LINEAR else views.saved_as(call.name, parameter)
    if form == "itself" and parameter in call.kept:
        return "view"
    given = [call.tensors.get(name, [])[:1] for name in ("query", "key", "value")]
    one = given[0] == given[1] == given[2]
    return "view" if form == "pieces" and parameter.endswith("in_proj_weight") and one else form


def is_view(call: Call, made: Tensor, number: int) -> bool:
    """Whether a new result is a view of what the call has made.

    `linear` gives what isn't a matrix the form that it had once its bias is added, if its rows are contiguous.
    """
    g = made.geometry
    if g is None:
        return False
    if call.name in LINEAR and g.ndim != 2:
        rows = next((t.geometry for t in call.tensors.get("input", ())), None)
        biased = bool(call.tensors.get("bias") or call.tensors.get("self.bias"))
        return biased and rows is not None and rows.is_contiguous() is True
    return views.gives_view(call.name, number, g.ndim)


ATTENTION = frozenset({"torch.nn.MultiheadAttention", "torch.nn.functional.multi_head_attention_forward"})


def used(call: Call) -> list[tuple[str, Tensor]]:
    """The tensors of a call by parameter, each as often as the call uses it.

    Attention projects one tensor that it is given as key and value once, also if it is the query
    (`_in_projection_packed` of `torch/nn/functional.py`).
    """
    found = [(p, t) for p, ts in call.tensors.items() for t in ts]
    given = {p: ts[0] for p, ts in call.tensors.items() if ts}
    key, options = given.get("key"), {**call.settings, **call.values}
    widths = {options.get(name) for name in ("kdim", "vdim")} - {None, options.get("embed_dim")}
    apart = widths or options.get("use_separate_proj_weight") is True
    if call.name not in ATTENTION or apart or key is None or key is not given.get("value"):
        return found
    again = {"value", "key"} if key is given.get("query") else {"value"}
    return [(p, t) for p, t in found if p not in again]
