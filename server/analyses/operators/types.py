"""Between values of the replay and the plain descriptions that the shape rules take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.geometry import UNKNOWN, Geometry
from ..autograd.tensors import Tensor
from ..domain import budget
from ..domain.values import Lib, ListV, Phi, SliceV, Unknown, Value
from ..shapes import Arg, Number, TensorType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .interpreter import Interpreter

DTYPES = {
    "torch.float": "float32",
    "torch.double": "float64",
    "torch.half": "float16",
    "torch.long": "int64",
    "torch.int": "int32",
    "torch.short": "int16",
    "torch.cfloat": "complex64",
    "torch.cdouble": "complex128",
    "float": "float32",
    "int": "int64",
    "bool": "bool",
}


TENSORS = {
    "torch.Tensor": None,
    "torch.autograd.Variable": None,
    "torch.FloatTensor": "float32",
    "torch.DoubleTensor": "float64",
    "torch.HalfTensor": "float16",
    "torch.BFloat16Tensor": "bfloat16",
    "torch.LongTensor": "int64",
    "torch.IntTensor": "int32",
    "torch.ShortTensor": "int16",
    "torch.CharTensor": "int8",
    "torch.ByteTensor": "uint8",
    "torch.BoolTensor": "bool",
}
"""types of tensors, with their dtype if the type determines it, on the CPU"""


def is_dtype_of_tensor(v: Value) -> bool:
    """Whether a value is the `dtype` of something of which that isn't known."""
    return isinstance(v, Unknown) and isinstance(v.key, tuple) and "dtype" in (v.key[0], v.key[-1])


def tells_dtype(v: Value) -> bool:
    """Whether a value is a dtype, known or not."""
    return dtype_of(v) is not None or is_dtype_of_tensor(v)


def dtype_of(v: Value) -> str | None:
    """The short name of a dtype value (`torch.long` is `int64`), None for anything else."""
    if isinstance(v, Lib):
        if v.name in DTYPES:
            return DTYPES[v.name]
        short = v.name.removeprefix("torch.")
        if short.startswith(("float", "int", "uint", "bool", "bfloat", "complex")) and "." not in short:
            return short
    return None


def dtype_value(t: Tensor) -> Value:
    """`t.dtype`."""
    return Lib(f"torch.{t.dtype}") if t.dtype is not None else Unknown("a dtype", ("dtype", t.uid))


def is_dtype(v: Unknown) -> bool:
    """Whether an unknown value is the dtype of a tensor."""
    return isinstance(v.key, tuple) and v.key[0] == "dtype"


def described(m: Interpreter, v: Value) -> Arg:
    """A value as the shape rules take it; a list or tuple with too many parts, shared ones counted anew, is unknown."""
    left = [budget.LIMITS.parts]
    made = _described(m, v, left)
    return made if left[0] >= 0 else UNKNOWN


def _described(m: Interpreter, v: Value, left: list[int], depth: int = 0) -> Arg:
    """Like `described`; `left` counts how many more parts may be looked at."""
    v = m.state.resolve(v)
    left[0] = -1 if depth > budget.LIMITS.levels else left[0] - 1
    if left[0] < 0:
        return UNKNOWN
    if isinstance(v, Tensor):
        return TensorType(v.shape, v.dtype)
    if isinstance(v, (bool, int, float, complex, str)) or v is None or v is Ellipsis:
        return v
    if isinstance(v, tuple):
        return tuple(_described(m, i, left, depth + 1) for i in v)
    if isinstance(v, ListV):
        if m.state.is_open(v):
            return UNKNOWN
        return [_described(m, i, left, depth + 1) for i in m.state.tuple_of(v.items)]
    if isinstance(v, SliceV):
        return slice(*(_described(m, i, left, depth + 1) for i in (v.lower, v.upper, v.step)))
    name = dtype_of(v)
    if name is not None:
        return name
    if isinstance(v, Phi) and all(isinstance(i, float) for i in (v.then, v.orelse)):
        return Number("float")
    return UNKNOWN


def described_all(m: Interpreter, bound: Mapping[str, Value]) -> dict[str, Arg]:
    """All arguments of a call by parameter, without those that were left out."""
    return {k: described(m, v) for k, v in bound.items() if not (v is None and k in ("out",))}


def geometry_of(t: TensorType) -> Geometry | None:
    """Fresh memory of a described shape, if that is known and has no more dimensions than `budget.LIMITS.dims`."""
    if t.shape is None or len(t.shape) > budget.LIMITS.dims:
        return None
    return Geometry.contiguous(t.shape)
