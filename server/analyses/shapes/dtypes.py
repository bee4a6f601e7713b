"""Type promotion: `c10/core/ScalarType.cpp` (promoteTypes) and `aten/src/ATen/native/TypeProperties.cpp`."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

from .types import Number, TensorType, Undecided

if TYPE_CHECKING:
    from collections.abc import Sequence

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("bfloat16", "float16", "float32", "float64")
COMPLEX = {"float16": "complex32", "bfloat16": "complex64", "float32": "complex64", "float64": "complex128"}
REAL = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
OTHERS = ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2")
SYNONYMS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "chalf": "complex32",
}
"""PyTorch's other names of dtypes, besides the ones that it prints"""
NAMES = frozenset({"bool", *INTEGERS, *FLOATS, *REAL, *OTHERS})


def named(text: str) -> str | None:
    """The dtype that a text names: `torch.float` → `float32`; None if it names none (`cuda`)."""
    name = text.removeprefix("torch.")
    name = SYNONYMS.get(name, name)
    return name if name in NAMES else None


def item_bits(dtype: str) -> int:
    """How many bits of memory an item takes."""
    digits = re.search(r"\d+", dtype)
    return max(int(digits[0]), 8) if digits else 8


def is_integral(dtype: str) -> bool:
    """Whether it is an integer type or bool."""
    return dtype == "bool" or dtype.startswith(("int", "uint"))


def is_complex(dtype: str) -> bool:
    """Whether it is a complex type."""
    return dtype in REAL


def is_floating(dtype: str) -> bool:
    """Whether it is a floating-point type, complex ones left out."""
    return not is_integral(dtype) and not is_complex(dtype)


def real_of(dtype: str) -> str:
    """The type of a complex number's parts; other types are their own."""
    return REAL.get(dtype, dtype)


def complex_of(dtype: str) -> str:
    """The complex type whose parts have this type; complex types are their own."""
    if is_complex(dtype):
        return dtype
    if dtype not in COMPLEX:
        raise Undecided
    return COMPLEX[dtype]


def promote(a: str, b: str) -> str:
    """`torch.promote_types`."""
    if a == b:
        return a
    if is_complex(a) or is_complex(b):
        return _promote_complex(a, b)
    if is_integral(a) != is_integral(b):
        return b if is_integral(a) else a
    if "bool" in (a, b):
        return a if b == "bool" else b
    if a in OTHERS or b in OTHERS:
        raise Undecided
    if is_floating(a):
        return "float32" if {a, b} == {"float16", "bfloat16"} else max(a, b, key=FLOATS.index)
    if {a, b} == {"uint8", "int8"}:
        return "int16"
    return max(a, b, key=INTEGERS.index)


def _promote_complex(a: str, b: str) -> str:
    parts = [real_of(dtype) for dtype in (a, b) if not is_integral(dtype)]
    return complex_of(parts[0] if len(parts) == 1 else promote(*parts))


def result_type(operands: Sequence[TensorType | Number | bool | int | float | complex], default: str) -> str:
    """`torch.result_type`: tensors with dimensions come first, then 0-dim tensors, then Python numbers.

    Raises `Undecided` if that depends on an unknown shape or dtype.
    """
    tensors = [operand for operand in operands if isinstance(operand, TensorType)]
    if any(tensor.dtype is None for tensor in tensors):
        raise Undecided
    number = _category([_number_type(operand, default) for operand in operands if not isinstance(operand, TensorType)])
    # one of each kind says as much as a long list, in which every tensor of unknown rank would double the choices
    kinds = dict.fromkeys((tensor.dtype or "", _ranks(tensor)) for tensor in tensors)
    answers = set()
    for choice in product(*(ranks for _, ranks in kinds)):
        dim = _category([dtype for (dtype, _), rank in zip(kinds, choice, strict=True) if rank])
        zero = _category([dtype for (dtype, _), rank in zip(kinds, choice, strict=True) if not rank])
        answers.add(_combine(dim, _combine(zero, number)))
    if len(answers) != 1 or None in answers:
        raise Undecided
    return answers.pop() or ""


def _ranks(tensor: TensorType) -> tuple[int, ...]:
    """Whether a tensor has dimensions (1) or none (0); both if that is unknown."""
    return (0, 1) if tensor.shape is None else (min(len(tensor.shape), 1),)


def _category(dtypes: list[str]) -> str | None:
    result = None
    for dtype in dtypes:
        result = dtype if result is None else promote(result, dtype)
    return result


def _combine(higher: str | None, lower: str | None) -> str | None:
    """`combine_categories`: the lower category counts only where it is of a higher kind."""
    if higher is None or lower is None:
        return higher or lower
    if is_complex(higher):
        return higher
    if is_floating(higher):
        return complex_of(higher) if is_complex(lower) else higher
    if higher == "bool" or not is_integral(lower):
        return promote(higher, lower)
    return higher


def _number_type(value: Number | bool | int | float | complex, default: str) -> str:
    kind = value.kind if isinstance(value, Number) else type(value).__name__
    return {"bool": "bool", "int": "int64", "float": default, "complex": complex_of(default)}[kind]
