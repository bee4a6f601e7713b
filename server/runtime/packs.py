"""What hooks of the program keep for saved tensors: those of `saved_tensors_hooks`, `save_on_cpu` among them.

PyTorch compares no versions of what went through a hook (`SavedVariable::unpack` in saved_variable.cpp). A copy needs
none; but a hook may give the tensor itself, as `save_on_cpu` does with one that is on the CPU, and then no change of it
is noticed.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, NamedTuple

import torch

from . import graph

if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 3
"""so many containers inside each other are looked through"""


class Pack(NamedTuple):
    """A tensor that a hook keeps: since when, in which memory, and whether it is the result of what saves it."""

    time: int
    key: int
    is_result: bool
    find: weakref.ref[torch.Tensor]


def kept(tensor: torch.Tensor, key: int, packed: object, node: int, time: int) -> list[Pack]:
    """What a hook keeps of a tensor in that memory, which the node of a number saves, if it `packed` no copy."""
    maker = graph.grad_fn(tensor)
    is_result = maker is not None and maker._sequence_nr() == node
    return [Pack(time, key, is_result, weakref.ref(one)) for one in _tensors(packed) if _holds(one, tensor)]


def _holds(one: torch.Tensor, tensor: torch.Tensor) -> bool:
    """Whether a tensor has another's elements, in the same memory."""
    try:
        same = one.untyped_storage()._cdata == tensor.untyped_storage()._cdata
    except (RuntimeError, NotImplementedError):  # sparse, wrapping
        return False
    return same and one.numel() == tensor.numel() and one.dtype is tensor.dtype


def _tensors(value: object, depth: int = DEEPEST) -> Iterator[torch.Tensor]:
    """The tensors in what a hook gave: one, or what containers and plain objects hold."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth:
        inside = (
            value.values() if isinstance(value, dict) else vars(value).values() if hasattr(value, "__dict__") else ()
        )
        for one in value if isinstance(value, (list, tuple)) else inside:
            yield from _tensors(one, depth - 1)
