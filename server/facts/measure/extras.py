"""Sample arguments written by hand, for what `op_db` has no or too few samples of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch


def of(name: str, device: str) -> Iterator[dict[str, Any]]:
    """Yield the hand-written sample arguments of a callable by parameter."""
    yield from _written(device).get(name, ())


def _written(device: str) -> dict[str, list[dict[str, Any]]]:
    x = torch.rand(4, 3, device=device) + 0.5
    mask, index = x > 0.9, torch.tensor([0, 2], device=device)
    indices = [0, slice(1, 3), None, ..., (0, 1), (slice(None), 0), (..., None), mask, index, [0, 2], (index, slice(None))]
    indices += [(slice(None), index), (index, index), True]
    read = [{"self": x, "index": i} for i in indices]
    write = [{**r, "value": v} for r in read for v in (1.0, x[r["index"]].detach().clone())]
    return {
        "torch.Tensor.__getitem__": read,
        "torch.Tensor.__setitem__": write,
        "operator.getitem": [{"a": r["self"], "b": r["index"]} for r in read],
        "operator.setitem": [{"a": w["self"], "b": w["index"], "c": w["value"]} for w in write],
    }
