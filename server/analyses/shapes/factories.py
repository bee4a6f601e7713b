"""Tensors made from sizes, numbers or data, and conversions of the dtype."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from ..autograd.geometry import UNKNOWN
from . import dtypes
from .call import Call, Op, always, attempt, flattened, ops, result, same_shape
from .dtypes import named
from .pointwise import asked_or, kept, same, together
from .types import Answer, Arg, Number, TensorType, Undecided

if TYPE_CHECKING:
    from .types import Shape, Size


def sized(call: Call) -> Shape:
    """The shape that `size` asks for."""
    if "size" not in call.args:
        raise Undecided
    return tuple(call.sizes("size"))


def usual(call: Call) -> str:
    """The default dtype."""
    return call.default


def filled(call: Call) -> str:
    """`full` takes the dtype of its value."""
    return value_dtype(call.get("fill_value"), call.default)


def value_dtype(value: Arg, default: str) -> str:
    """The dtype of a tensor made from this Python value (`infer_scalar_type`)."""
    kinds = {_kind(leaf, default) for leaf in flattened(value)}
    if not kinds:
        return default
    dtype = kinds.pop()
    for kind in kinds:
        dtype = dtypes.promote(dtype, kind)
    return dtype


def _kind(leaf: Arg, default: str) -> str:
    if isinstance(leaf, TensorType):
        if leaf.dtype is None:
            raise Undecided
        return leaf.dtype
    if isinstance(leaf, (bool, int, float, complex, Number)):
        return dtypes.result_type([leaf], default)
    raise Undecided


def data_shape(call: Call) -> Shape:
    """The shape of nested lists, or of a tensor."""
    return _nested(call.get("data"))


def _nested(value: Arg) -> Shape:
    if isinstance(value, TensorType):
        if value.shape is None:
            raise Undecided
        return value.shape
    if isinstance(value, (list, tuple)):
        return (len(value), *(_nested(value[0]) if value else ()))
    if isinstance(value, (bool, int, float, complex, Number)):
        return ()
    raise Undecided


def data_dtype(call: Call) -> str:
    """The dtype of data; an empty list has the default dtype."""
    return value_dtype(call.get("data"), call.default)


def counted(call: Call) -> Shape:
    """`arange(end)`, `arange(start, end, step)`."""
    start, end, step = _range(call)
    if start == 0 and step == 1 and isinstance(end, int):
        return (max(end, 0),)
    if not all(isinstance(value, (int, float)) for value in (start, end, step)):
        return (None,)
    assert isinstance(start, (int, float)) and isinstance(end, (int, float)) and isinstance(step, (int, float))
    if not all(isinstance(value, int) for value in (start, end, step)) and call.given("dtype"):
        return (None,)
    return (max(ceil((end - start) / step), 0),)


def _range(call: Call) -> tuple[Arg, Arg, Arg]:
    if "end" in call.args:
        return call.get("start", 0), call.get("end"), call.get("step", 1)
    return 0, call.get("start"), call.get("step", 1)


def count_dtype(call: Call) -> str:
    """`arange` of integers is `int64`, else the default dtype."""
    values = _range(call)
    if any(isinstance(value, float) or (isinstance(value, Number) and value.kind == "float") for value in values):
        return call.default
    if all(isinstance(value, int) or (isinstance(value, Number) and value.kind == "int") for value in values):
        return "int64"
    raise Undecided


def eye(call: Call) -> Shape:
    """`eye(n, m)`."""
    return (call.size("n"), call.size("m") if call.given("m") else call.size("n"))


def spaced(call: Call) -> str:
    """`linspace`, `logspace`: complex ends make complex numbers."""
    ends = [call.get("start"), call.get("end")]
    if any(isinstance(value, complex) for value in ends):
        return dtypes.complex_of(call.default)
    if UNKNOWN in ends:
        raise Undecided
    return call.default


def triangle(call: Call) -> Shape:
    """`tril_indices(row, col, offset)` and `triu_indices`."""
    return (2, None)


def meshgrid(call: Call) -> Answer:
    """`meshgrid(*tensors, indexing)`."""
    tensors = call.tensors("tensors")
    if not tensors:
        raise Undecided
    shapes = [tensor.shape for tensor in tensors]
    sizes: list[Size] = [None if shape is None else shape[0] if shape else 1 for shape in shapes]
    if call.text("indexing", "ij") == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1::-1]
    return [TensorType(tuple(sizes), tensor.dtype) for tensor in tensors]


def normal(call: Call) -> Answer:
    """`normal(mean, std)`, `normal(mean, std, size)`."""
    tensors = [value for value in (call.get("mean"), call.get("std")) if isinstance(value, TensorType)]
    if not tensors:
        return result(sized, asked_or(usual))(call)
    return TensorType(attempt(together("mean", "std"), call), tensors[0].dtype)


def random_integers(call: Call) -> Shape:
    """`randint(high, size)` and `randint(low, high, size)`."""
    for name in ("size", "high"):
        value = call.get(name)
        if isinstance(value, (list, tuple)):
            return tuple(Call({"size": value}).sizes("size"))
    raise Undecided


def converted(call: Call) -> str:
    """`to(…)`: the dtype may be in any place, or that of another tensor."""
    for value in [*flattened(call.get("args")), call.get("device"), call.get("dtype"), call.get("other")]:
        if isinstance(value, TensorType):
            return Call({"input": value}).dtype("input")
        if isinstance(value, str) and named(value):
            return named(value) or ""
        if value is UNKNOWN:
            raise Undecided
    return call.dtype("input")


def of_other(call: Call) -> str:
    """`type_as(other)`."""
    return call.dtype("other")


def undecided(call: Call) -> Shape:
    """A shape that arguments can give in too many ways."""
    raise Undecided


def windowed(call: Call) -> Shape:
    """`hann_window(length)` …"""
    return (call.size("window_length"),)


def conversions() -> dict[str, Op]:
    """`x.float()` and its likes."""
    spelled = {**dtypes.SYNONYMS, "bool": "bool", "bfloat16": "bfloat16", "byte": "uint8", "char": "int8"}
    return {
        name: op for name, dtype in spelled.items() for op in ops(name, "input", result(same, always(dtype))).values()
    }


WINDOWS = """
    bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall
"""
OPS: dict[str, Op] = {
    **conversions(),
    **ops("zeros ones empty rand randn", "*size", result(sized, asked_or(usual))),
    **ops("empty_strided", "size stride", result(sized, asked_or(usual))),
    **ops("full", "size fill_value", result(sized, asked_or(filled))),
    **ops("zeros_like ones_like empty_like rand_like randn_like", "input", result(same, asked_or(kept))),
    **ops("full_like", "input fill_value", result(same, asked_or(kept))),
    **ops("randint_like", "input low high", result(same, asked_or(kept))),
    **ops("new_zeros new_ones new_empty", "input *size", result(sized, asked_or(kept))),
    **ops("new_full", "input size fill_value", result(sized, asked_or(kept))),
    **ops("new_empty_strided", "input size stride", result(sized, asked_or(kept))),
    **ops("new_tensor", "input data", result(data_shape, asked_or(kept))),
    **ops("tensor as_tensor asarray scalar_tensor", "data|s|obj dtype", result(data_shape, asked_or(data_dtype))),
    **ops("randint", "low high size", result(random_integers, asked_or(always("int64")))),
    **ops("randperm", "n", result(lambda call: (call.size("n"),), asked_or(always("int64")))),
    **ops("arange range_", "start end step", result(counted, asked_or(count_dtype))),
    **ops("linspace logspace", "start end steps", result(lambda call: (call.size("steps"),), asked_or(spaced))),
    **ops("eye", "n m", result(eye, asked_or(usual))),
    **ops("tril_indices triu_indices", "row col offset", result(triangle, asked_or(always("int64")))),
    **ops("meshgrid", "*tensors", meshgrid),
    **ops("normal", "mean std size", normal),
    **ops("to", "input *args", result(same, converted)),
    **ops("type", "input dtype", result(same, converted)),
    **ops("type_as", "input other", result(same, of_other)),
    **ops(
        " ".join(f"windows.{name}" for name in WINDOWS.split()),
        "M",
        result(lambda call: (call.size("M"),), asked_or(usual)),
    ),
    **ops("resize_", "input *size", result(sized, kept)),
    **ops("resize_as_", "input other|the_template", result(same_shape("other"), kept)),
    **ops("set_", "input source", result(undecided, kept)),
    **ops(
        "hann_window hamming_window blackman_window bartlett_window kaiser_window",
        "window_length",
        result(windowed, asked_or(usual)),
    ),
}
