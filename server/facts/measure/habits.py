"""Ask PyTorch what it does beside its operators, each by a program of a few lines.

>>> x = torch.ones(2, requires_grad=True)
>>> torch.asarray(x).requires_grad      # False: this release has the habit `asarray_detaches`
"""

from __future__ import annotations

from typing import Any

import torch

from ..habits import Habits


def measure() -> dict[str, bool]:
    """Return, by its name, whether the PyTorch that is installed has each habit."""
    told = Habits(
        asarray_detaches=not torch.asarray(torch.ones(2, requires_grad=True)).requires_grad,
        slices_whole=_leaf_of_slice(),
        unused_require_grad=_unused().requires_grad,
        writes_views_of_leaves=_writes_view_of_leaf(),
    )
    return {name: getattr(told, name) for name in Habits.__slots__}


def _leaf_of_slice() -> bool:
    try:
        torch.ones(2, 2, requires_grad=True)[:, [0]] = 0.0
    except RuntimeError as error:
        return "a view of a leaf" in str(error)
    raise AssertionError("PyTorch lets a leaf be written")


def _unused() -> torch.Tensor:
    used, unused = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    return torch.autograd.grad(used.sum(), [used, unused], materialize_grads=True)[1]


class _Written(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return grads


def _writes_view_of_leaf() -> bool:
    try:
        _Written.apply(torch.ones(2, requires_grad=True)[0])  # type: ignore[no-untyped-call]
    except RuntimeError:
        return False
    return True
