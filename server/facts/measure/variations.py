"""Variations of sample arguments: PyTorch's samples keep to tensors and defaults, users don't."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from ..model import Param
from .samples import Arguments

CHOICES: dict[str, tuple[object, ...]] = {
    "reduction": ("none", "mean", "sum"),
    "p": (0.0, 0.5, 1.0, 2.0, float("inf")),
    "dropout_p": (0.0, 0.5),
    "exponent": (0, 1, 2, 0.5),
    "max_norm": (0.1,),
}


def variations(params: Sequence[Param], arguments: Arguments) -> Iterator[Arguments]:
    """Yield the arguments and those that differ in one parameter.

    A tensor becomes a number, a flag is turned over, a parameter takes one of its usual choices.
    """
    yield arguments
    for p in params:
        for value in _other_values(p, arguments):
            yield {**arguments, p.name: value}


def _other_values(param: Param, arguments: Arguments) -> Iterator[object]:
    value = arguments.get(param.name, param.default)
    if isinstance(value, torch.Tensor) and param.name != "self":
        yield 2.0 if value.is_floating_point() or value.is_complex() else 1
    elif isinstance(value, bool):
        yield not value
    if param.name in CHOICES and not isinstance(value, torch.Tensor):
        yield from (choice for choice in CHOICES[param.name] if choice != value)
