"""What may be named at a place of a program, sorted by what it is."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

LARGE = 4_000
"""elements of a tensor that nothing more is done with"""


@dataclass(slots=True)
class Scope:
    """What may be named at a place of the program."""

    tensors: list[tuple[str, torch.Tensor]] = field(default_factory=list)
    modules: list[tuple[str, torch.nn.Module]] = field(default_factory=list)
    lists: list[tuple[str, list[Any] | tuple[Any, ...]]] = field(default_factory=list)
    dicts: list[tuple[str, dict[Any, Any]]] = field(default_factory=list)
    optimizers: list[str] = field(default_factory=list)
    functions: list[tuple[str, int]] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)


def scope_of(names: dict[str, Any]) -> Scope:
    """Sort what is in scope by what it is."""
    scope = Scope()
    for name, value in names.items():
        if not name.startswith("_") and name not in ("torch", "np", "F", "nn", "copy"):
            _sort(scope, name, value)
    return scope


def _sort(scope: Scope, text: str, value: Any) -> None:
    if isinstance(value, torch.Tensor):
        if value.numel() <= LARGE and value.layout == torch.strided:
            scope.tensors.append((text, value))
    elif isinstance(value, torch.nn.Module):
        scope.modules.append((text, value))
        own = {**value._parameters, **value._buffers}
        for name, tensor in own.items():
            if tensor is not None and text == "self":
                _sort(scope, f"{text}.{name}", tensor)
        for name, module in value._modules.items():
            if text == "self" and module is not None:
                _sort(scope, f"{text}.{name}", module)
        if text == "self":
            for name, other in vars(value).items():
                if isinstance(other, (torch.Tensor, list)) and not name.startswith("_"):
                    _sort(scope, f"self.{name}", other)
    elif isinstance(value, torch.optim.Optimizer):
        scope.optimizers.append(text)
    elif isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        scope.lists.append((text, value))
        for i, item in enumerate(value[:2]):
            if isinstance(item, torch.Tensor):
                _sort(scope, f"{text}[{i}]", item)
    elif isinstance(value, dict):
        scope.dicts.append((text, value))
        for key, item in value.items():
            if isinstance(item, torch.Tensor) and isinstance(key, str):
                _sort(scope, f'{text}["{key}"]', item)
    elif isinstance(value, np.ndarray):
        scope.arrays.append(text)
    elif isinstance(value, (bool, int, float)):
        scope.numbers.append(text)
    elif callable(value) and text.startswith("f") and hasattr(value, "__code__"):
        scope.functions.append((text, value.__code__.co_argcount))


def with_grad(tensor: torch.Tensor) -> bool:
    return tensor.requires_grad


def inner(tensor: torch.Tensor) -> bool:
    return not (is_leaf(tensor) and tensor.requires_grad)


def is_leaf(tensor: torch.Tensor) -> bool:
    """Whether it is a leaf; a view that may not be used any more, which raises when asked, is none."""
    with contextlib.suppress(RuntimeError):
        return tensor.is_leaf
    return False


def floating(tensor: torch.Tensor) -> bool:
    return tensor.dtype.is_floating_point
