"""Reductions, scans, sorting and counting."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

from ..autograd.geometry import UNKNOWN, plus, times, wrapped
from . import dtypes
from .call import Call, Op, always, attempt, broadcast, either, ops, result, results, scalar
from .pointwise import accumulated, asked_or, kept, made_floating, parts, promoted, same, together
from .types import Answer, TensorType, Undecided

if TYPE_CHECKING:
    from .call import Rule, ShapeRule
    from .types import Shape, Size

indices = always("int64")


def reduced(call: Call) -> Shape:
    """The input's shape without the dimensions of `dim`, or with 1 there; no `dim` means all."""
    shape = call.shape("input")
    dims = {wrapped(dim, len(shape)) for dim in call.ints("dim", [])} or set(range(len(shape)))
    return without(shape, dims, call.flag("keepdim"))


def reduced_as_asked(call: Call) -> Shape:
    """`all` and `any`: no dimension of several is none, where others take it for all."""
    return call.shape("input") if call.get("dim") in ((), []) else reduced(call)


def without(shape: Shape, dims: set[int], keepdim: bool) -> Shape:
    """The shape without these dimensions, or with 1 there."""
    if keepdim:
        return tuple(1 if dim in dims else size for dim, size in enumerate(shape))
    return tuple(size for dim, size in enumerate(shape) if dim not in dims)


def along(call: Call) -> Shape:
    """The input's shape without one dimension, by default the last."""
    shape = call.shape("input")
    dim = wrapped(call.integer("dim", -1), len(shape))
    return without(shape, {dim} if shape else set(), call.flag("keepdim"))


def with_size(dim: int, size: Size, shape: Shape) -> Shape:
    """The shape with this size in one dimension."""
    dim = wrapped(dim, len(shape))
    return (*shape[:dim], size, *shape[dim + 1 :]) if shape else shape


def top(call: Call) -> Shape:
    """`topk(input, k, dim)`."""
    return with_size(call.integer("dim", -1), call.size("k"), call.shape("input"))


def flat_or_along(call: Call) -> Shape:
    """`argmax`: without `dim` over everything."""
    if call.given("dim"):
        return along(call)
    return (1,) * len(call.shape("input")) if call.flag("keepdim") else ()


def summed(call: Call) -> str:
    """The dtype of `sum`."""
    return call.named_dtype() or accumulated(call.dtype("input"))


def bytes_or_bool(call: Call) -> str:
    """`all` and `any` give bool, of bytes bytes."""
    return "uint8" if call.dtype("input") == "uint8" else "bool"


def normed(call: Call) -> str:
    """The dtype of a norm: that of a complex number's parts."""
    return dtypes.real_of(call.named_dtype() or call.dtype("input"))


def spread(call: Call) -> Call:
    """`std(input, unbiased)` has a bool where `std(input, dim)` has its dimension."""
    if isinstance(call.get("dim"), bool):
        return Call({name: value for name, value in call.args.items() if name != "dim"}, call.default)
    return call


def variance(rule: Rule) -> Rule:
    """The rule of `std`, `var` and their likes."""
    return lambda call: rule(spread(call))


def by_dim(one: Rule, pair: Rule) -> Rule:
    """`max(input)` gives one result, `max(input, dim)` two."""
    return either(lambda call: call.given("dim"), pair, one)


def extremum(call: Call) -> Answer:
    """`max` and `min`: of everything, along a dimension, or of two tensors."""
    for name in ("other", "dim"):
        other = call.get(name)
        if isinstance(other, TensorType):
            both = Call({"input": call.get("input"), "other": other}, call.default)
            return result(together("input", "other"), promoted("input", "other"))(both)
    if call.get("dim") is UNKNOWN:
        raise Undecided
    return by_dim(result(scalar, kept), results((along, kept), (along, indices)))(call)


def quantiles(call: Call) -> Shape:
    """`quantile(input, q, dim, keepdim)`: the values of `q` come first."""
    shape = call.shape("input")
    rest = along(call) if call.given("dim") else (1,) * len(shape) if call.flag("keepdim") else ()
    return (*call.shape("q"), *rest)


def differences(call: Call) -> Shape:
    """`diff(input, n, dim, prepend, append)`."""
    shape = call.shape("input")
    dim = wrapped(call.integer("dim", -1), len(shape))
    extra = [_length(call, name, dim) for name in ("prepend", "append") if call.given(name)]
    length = plus(shape[dim], *extra, -call.integer("n", 1))
    return with_size(dim, None if length is None else max(length, 0), shape)


def _length(call: Call, name: str, dim: int) -> Size:
    shape = call.shape(name)
    return shape[dim] if shape else 1


def integrated(call: Call) -> Shape:
    """`trapezoid(y, x, dim)`."""
    shape = call.shape("y")
    if call.given("x") and len(call.shape("x")) > 1:
        shape = broadcast(shape, call.shape("x"))
    return without(shape, {wrapped(call.integer("dim", -1), len(shape))}, False)


def counted(call: Call) -> Shape:
    """`histc`: as many as `bins` says."""
    return (call.size("bins", 100),)


def sequence_counts(call: Call) -> Answer:
    """`unique`: the values, and the results that flags ask for."""
    shape, dtype = call.shape("input"), attempt(kept, call)
    dim = call.integer("dim") if call.given("dim") else None
    whole = times(*shape) if dim is None else shape[dim]
    found = whole if whole in (0, 1) else None
    values = TensorType((found,) if dim is None else with_size(dim, found, shape), dtype)
    counts = TensorType((found,), "int64")
    inverse = TensorType(shape if dim is None else (shape[dim],), "int64")
    wanted = [(inverse, "return_inverse"), (counts, "return_counts")]
    extra = [tensor for tensor, flag in wanted if call.flag(flag)]
    return [values, *extra] if extra else values


def nonzero(call: Call) -> Answer:
    """`nonzero`, `argwhere`: as many rows as there are nonzero elements."""
    shape = call.shape("input")
    if call.flag("as_tuple"):
        return [TensorType((None,), "int64") for _ in shape or (1,)]
    return TensorType((None, len(shape)), "int64")


def summed_to(call: Call) -> Shape:
    """`sum_to_size(size)`."""
    return tuple(call.sizes("size"))


def summed_to_dtype(call: Call) -> str:
    """`sum_to_size`: if it sums, the dtype is that of `sum`."""
    dtype = call.dtype("input")
    if accumulated(dtype) != dtype:
        raise Undecided
    return dtype


def searched(call: Call) -> Shape:
    """`searchsorted(sorted_sequence, values)` and `bucketize(values, boundaries)`."""
    return call.shape("values")


def index_type(call: Call) -> str:
    """`int64`, or `int32` where `out_int32` asks for it."""
    return "int32" if call.flag("out_int32") else "int64"


def binned(extra: int) -> ShapeRule:
    """`histogram(input, bins)`: counts and edges; bins are a number or the edges."""

    def rule(call: Call) -> Shape:
        bins = call.get("bins")
        if isinstance(bins, TensorType):
            return (plus(call.shape("bins")[0], extra - 1),)
        return (plus(call.size("bins"), extra),)

    return rule


def binned_in_all(call: Call) -> Shape:
    """`histogramdd(input, bins)`: a dimension for each column; bins are numbers, or the edges."""
    bins = call.get("bins")
    if isinstance(bins, int):
        return (bins,) * (call.shape("input")[-1] or 1)
    if not isinstance(bins, (list, tuple)):
        raise Undecided
    edges = [one.shape[0] if isinstance(one, TensorType) and one.shape else None for one in bins]
    counts = [one if isinstance(one, int) else plus(edge, -1) for one, edge in zip(bins, edges, strict=True)]
    return tuple(counts)


def dtype_of_data(call: Call) -> str:
    """That of `data`."""
    return call.dtype("data")


def by_segment(call: Call) -> Shape:
    """`segment_reduce(data, reduce, lengths=…)`: as many as there are lengths, or one less than there are offsets."""
    axis = call.integer("axis", 0)
    if call.given("lengths"):
        return (*call.shape("lengths"), *call.shape("data")[axis + 1 :])
    *before, offsets = call.shape("offsets")
    return (*before, plus(offsets, -1), *call.shape("data")[axis + 1 :])


def unravelled(call: Call) -> Answer:
    """`unravel_index(indices, shape)`: the indices of each dimension."""
    return [TensorType(call.shape("indices"), "int64") for _ in call.sizes("shape")]


def nonzero_padded(call: Call) -> Shape:
    """`nonzero_static(input, size)`: as many rows as are asked for."""
    return (call.size("size"), len(call.shape("input")))


def multinomial(call: Call) -> Shape:
    """`multinomial(input, num_samples)`."""
    return (*call.shape("input")[:-1], call.size("num_samples"))


def combined(call: Call) -> Shape:
    """`combinations(input, r)`."""
    (size,) = call.shape("input")
    if size is None or call.flag("with_replacement"):
        return (None, call.size("r", 2))
    r = call.integer("r", 2)
    return (comb(size, r), r)


def floats_of(call: Call, *names: str) -> str:
    """The promoted dtype of a mean-like sum of products."""
    dtype = promoted(*names)(call)
    return call.default if dtypes.is_integral(dtype) else dtype


def weighed(call: Call) -> str:
    """`bincount`: counts, or sums of weights, which are summed in double precision unless single."""
    if not call.given("weights"):
        return "int64"
    return "float32" if call.dtype("weights") == "float32" else "float64"


REDUCE = "input dim keepdim dtype"
pair_along = results((along, kept), (along, indices))
pair_same = results((same, kept), (same, indices))

OPS: dict[str, Op] = {
    **ops("sum nansum", REDUCE, result(reduced, summed)),
    **ops("prod", REDUCE, result(flat_or_along, summed)),
    **ops("mean nanmean", REDUCE, result(reduced, asked_or(kept))),
    **ops("amax amin", "input dim keepdim", result(reduced, kept)),
    **ops("logsumexp", "input dim keepdim", result(reduced, made_floating)),
    **ops("all any", "input dim keepdim", result(reduced_as_asked, bytes_or_bool)),
    **ops("hash_tensor", "input dim keepdim", result(reduced, always("uint64"))),
    **ops("count_nonzero", "input dim", result(reduced, indices)),
    **ops("argmax argmin", "input dim keepdim", result(flat_or_along, indices)),
    **ops("std var", "input dim unbiased keepdim", variance(result(reduced, parts))),
    **ops("std_mean var_mean", "input dim unbiased keepdim", variance(results((reduced, parts), (reduced, kept)))),
    **ops("norm", "input p dim keepdim out dtype", result(reduced, normed)),
    **ops("max min", "input dim keepdim", extremum),
    **ops("aminmax", "input", results((flat_or_along, kept), (flat_or_along, kept))),
    **ops("median nanmedian", "input dim keepdim", by_dim(result(scalar, kept), pair_along)),
    **ops("mode", "input dim keepdim", pair_along),
    **ops("kthvalue", "input k dim keepdim", pair_along),
    **ops("topk", "input k dim largest sorted", results((top, kept), (top, indices))),
    **ops("sort", "input dim descending stable", pair_same),
    **ops("cummax cummin", "input dim", pair_same),
    **ops("argsort", "input dim descending stable", result(same, indices)),
    **ops("msort", "input", result(same, kept)),
    **ops("quantile nanquantile", "input q dim keepdim", result(quantiles, kept)),
    **ops("diff", "input n dim prepend append", result(differences, promoted("input", "prepend", "append"))),
    **ops("trapezoid trapz", "y x dim", result(integrated, lambda call: floats_of(call, "y", "x"))),
    **ops("histc", "input bins min max", result(counted, kept)),
    **ops("bincount", "input weights minlength", result(lambda call: (None,), weighed)),
    **ops("unique", "input sorted return_inverse return_counts dim", sequence_counts),
    **ops("unique_consecutive", "input return_inverse return_counts dim", sequence_counts),
    **ops("nonzero argwhere", "input", nonzero),
    **ops("unravel_index", "indices shape", unravelled),
    **ops("nonzero_static", "input size fill_value", result(nonzero_padded, indices)),
    **ops("sum_to_size", "input *size", result(summed_to, summed_to_dtype)),
    **ops("searchsorted", "sorted_sequence values|input|self", result(searched, index_type)),
    **ops("bucketize", "values|input|self boundaries", result(searched, index_type)),
    **ops("multinomial", "input num_samples replacement", result(multinomial, indices)),
    **ops("combinations", "input r with_replacement", result(combined, kept)),
    **ops("trace", "input", result(scalar, summed)),
    **ops("equal allclose", "input other", lambda call: []),
    **ops("masked.sum masked.prod", f"{REDUCE} mask", result(reduced, summed)),
    **ops("masked.mean", f"{REDUCE} mask", result(reduced, asked_or(kept))),
    **ops("masked.amax masked.amin", f"{REDUCE} mask", result(reduced, asked_or(kept))),
    **ops("masked.logsumexp", f"{REDUCE} mask", result(reduced, asked_or(kept))),
    **ops("masked.argmax masked.argmin", f"{REDUCE} mask", result(flat_or_along, asked_or(kept))),
    **ops("masked.norm", "input ord dim keepdim dtype mask", result(reduced, normed)),
    **ops("masked.var masked.std", "input dim unbiased keepdim dtype mask", result(reduced, made_floating)),
    **ops("masked.median", f"{REDUCE} mask", result(along, asked_or(kept))),
    **ops("masked.cumsum masked.cumprod", "input dim dtype mask", result(same, summed)),
    **ops("masked.softmax masked.log_softmax masked.softmin", "input dim dtype mask", result(same, asked_or(kept))),
    **ops("masked.normalize", "input ord dim eps dtype mask", result(same, asked_or(kept))),
    **ops("masked.logaddexp", "input other dtype", result(together("input", "other"), promoted("input", "other"))),
    **ops("histogramdd", "input bins", results((binned_in_all, kept))),
    **ops("segment_reduce", "data reduce lengths indices offsets axis", result(by_segment, dtype_of_data)),
    **ops("histogram", "input bins", results((binned(0), kept), (binned(1), kept))),
}
