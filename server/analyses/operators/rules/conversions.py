"""Conversions: the tensor itself where it has the dtype, the device or the layout already, and a copy elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.tensors import Tensor
from ...domain.known import key_of
from ...domain.values import Cond, Lib
from .. import layouts
from ..call import Call, Family
from ..conversions import guess
from ..transposed import is_transposed
from ..types import dtype_of, is_dtype_of_tensor, tells_dtype
from .names import functions, methods

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...autograd.geometry import Geometry
    from ..interpreter import Interpreter

CASTS = {
    "torch.Tensor.float": "float32",
    "torch.Tensor.double": "float64",
    "torch.Tensor.half": "float16",
    "torch.Tensor.bfloat16": "bfloat16",
    "torch.Tensor.long": "int64",
    "torch.Tensor.int": "int32",
    "torch.Tensor.short": "int16",
    "torch.Tensor.bool": "bool",
    "torch.Tensor.cfloat": "complex64",
    "torch.Tensor.cdouble": "complex128",
}


def has_cast(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """`t.float()` and its kin: whether the tensor has that dtype."""
    return source.dtype == CASTS[call.name] if source.dtype is not None else None


def is_contiguous(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """`t.contiguous()`, which is written where it is not: behind a transposition, say."""
    known = is_laid_out(source.geometry, layouts.memory_format(call) or "contiguous_format")
    return False if known is None and is_transposed(m, source) else known


def is_laid_out(g: Geometry | None, asked: str) -> bool | None:
    """Whether a tensor is in a memory format."""
    if asked == "preserve_format":
        return True
    if g is None:
        return None
    return g.is_usually_contiguous() if asked == "contiguous_format" else layouts.is_by_pixels(g)


def of_dtype(m: Interpreter, call: Call, source: Tensor, text: str) -> Cond:
    """Whether it has that dtype already: it mostly has, if that is float32 or the one of an operand."""
    given = [v for k, v in call.values.items() if k not in ("self", "input")]
    is_usual = "float32" in (CASTS.get(call.name), *map(dtype_of, given))
    of_operand = any(isinstance(v, Tensor) or is_dtype_of_tensor(v) for v in given)
    return guess(text, source, m, "dtype" if is_usual or of_operand else "guess")


def has_type(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """`t.type_as(other)`."""
    other = next(iter(call.tensors.get("other", ())), None)
    return None if other is None or not (other.dtype and source.dtype) else other.dtype == source.dtype


def is_on_processor(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """`t.cpu()`: tensors are taken to be there."""
    return True


def has_all(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """`to(…)`: whether neither dtype nor device change and no copy is asked for."""
    values = {k: v for k, v in call.values.items() if k not in ("self", "input", "data", "obj", "non_blocking")}
    if values.get("copy") is True:
        return False
    answer = is_laid_out(source.geometry, layouts.memory_format(call) or "preserve_format")
    if answer is False:
        return False
    for v in values.values():
        dtype = v.dtype if isinstance(v, Tensor) else dtype_of(v)
        if dtype is None and not isinstance(v, Tensor):
            answer = answer if says_nothing(v) else None
        elif source.dtype is None or dtype is None:
            answer = None
        elif source.dtype != dtype:
            return False
    return answer


def says_nothing(v: object) -> bool:
    """Whether an argument of `to` changes neither dtype nor device."""
    return v is None or isinstance(v, bool) or v == "cpu" or (isinstance(v, Lib) and "format" in v.name)


def of_layout(m: Interpreter, call: Call, source: Tensor, text: str) -> Cond:
    """Whether it is laid out like that already."""
    return guess(text, source, m, layouts.kind_of_guess(source))


def of_device(m: Interpreter, call: Call, source: Tensor, text: str) -> Cond:
    """One question for all tensors where the device alone answers it.

    Tensors are made on one device, mostly, and are all brought to another one, or all stay.
    """
    others = [v for k, v in call.values.items() if k not in ("self", "input") and not isinstance(v, (bool, type(None)))]
    if call.name == "torch.Tensor.to" and any(isinstance(v, Tensor) or tells_dtype(v) for v in others):
        return of_dtype(m, call, source, text)
    return Cond((text, *map(key_of, others)), "guess", text, m.here.site)


def converts(unchanged: Callable[[Interpreter, Call, Tensor], bool | None] | None) -> Family:
    """A family of conversions to a dtype and nothing else."""
    return Family(unchanged=unchanged, copies_at_most=True, question=of_dtype)


FAMILIES = {
    tuple(CASTS): converts(has_cast),
    methods("contiguous"): Family(unchanged=is_contiguous, copies_at_most=True, question=of_layout),
    methods("type_as"): converts(has_type),
    methods("type"): converts(has_all),
    methods("to"): Family(unchanged=has_all, copies_at_most=True, question=of_device, reads_form_of="other"),
    methods("cuda"): Family(copies_at_most=True, question=of_device),
    methods("cpu"): Family(unchanged=is_on_processor),
    functions("as_tensor asarray"): Family(unchanged=has_all),
}
