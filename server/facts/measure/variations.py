"""Variations of samples: PyTorch's own keep to tensors, default values and one dtype, users don't."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .samples import tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..model import Param
    from .samples import Arguments

CHOICES: dict[str, tuple[object, ...]] = {
    "reduction": ("none", "mean", "sum"),
    "p": (0.0, 0.5, 1.0, 2.0, float("inf")),
    "dropout_p": (0.0, 0.5),
    "exponent": (0, 1, 2, 0.5),
    "max_norm": (0.1,),
}
"""values to try, by the name of the parameter"""


def variations(params: Sequence[Param], arguments: Arguments) -> Iterator[Arguments]:
    """Yield arguments that differ from these in one: a tensor becomes a number, a flag is flipped, ….

    What such a call saves is worth asking.
    """
    for p in params:
        for value in _other_values(p, arguments):
            yield {**arguments, p.name: value}


def forms(arguments: Arguments) -> Iterator[Arguments]:
    """Yield the arguments with tensors of another dtype, then with tensors that aren't contiguous.

    They show whether a result may be the input itself or a view of it. They aren't asked what is saved: PyTorch may
    work on a contiguous copy, which it then saves instead.
    """
    if any(t.grad is not None for value in arguments.values() for t in tensors(value)):
        return
    for change in (_double, _integral, _transposed):
        yield {name: mapped(value, change) for name, value in arguments.items()}


def _other_values(param: Param, arguments: Arguments) -> Iterator[object]:
    value = arguments.get(param.name, param.default)
    if isinstance(value, torch.Tensor) and param.name != "self":
        yield 2.0 if value.is_floating_point() or value.is_complex() else 1
    elif isinstance(param.default, bool) and isinstance(value, bool):
        yield not value
    if param.name in CHOICES and not isinstance(value, torch.Tensor):
        yield from (choice for choice in CHOICES[param.name] if choice != value)


def mapped(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Return the value with `change` applied to each tensor, in lists and tuples, too."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        items = [mapped(item, change) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def _double(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor


def _integral(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.long() if tensor.is_floating_point() else tensor


def _transposed(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.mT.contiguous().mT if tensor.ndim > 1 and tensor.layout == torch.strided else tensor
