"""What the shape rules take and give: plain descriptions of tensors, numbers and what isn't known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Literal

from ..autograd.geometry import UNKNOWN, Shape, Size, Unknown


@dataclass(frozen=True, slots=True)
class TensorType:
    """A tensor's shape and dtype (`float32` …), as far as they are known."""

    shape: Shape | None = None
    dtype: str | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A Python number of which no more than the type is known."""

    kind: Literal["bool", "int", "float", "complex"]


Arg = TensorType | Number | Unknown | bool | int | float | complex | str | slice | EllipsisType | None | Sequence["Arg"]
"""An argument: a description, a Python constant, or a list of these. A dtype is its name, `float32` or
`torch.float32`; None is Python's None, `UNKNOWN` anything."""

Answer = TensorType | list[TensorType]
Output = TensorType | None | Sequence["Output"]


class Undecided(Exception):
    """Too little is known, or PyTorch raises."""


__all__ = ["UNKNOWN", "Answer", "Arg", "Number", "Output", "Shape", "Size", "TensorType", "Undecided", "Unknown"]
