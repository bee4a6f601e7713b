"""The second opinion on what is saved: the tensors that the new nodes of the graph show as `_saved_…`.

Moving a version is the ground truth (`probe.py`); a node shows what it saved by name
(`tools/autograd/gen_autograd_functions.py`), and its storage says which input or result that is.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Storage = int


def saved_storages(carriers: Iterable[torch.Tensor]) -> set[Storage]:
    """Return the storages of the tensors that the graph above the carriers has saved."""
    return {storage for node in nodes(carriers) for t in saved(node) if (storage := storage_of(t)) is not None}


def storage_of(tensor: torch.Tensor) -> Storage | None:
    """Return what tells the tensor's memory from others, None where it has none of its own."""
    if tensor.layout != torch.strided or tensor.numel() == 0:
        return None
    return tensor.untyped_storage().data_ptr()


def nodes(carriers: Iterable[torch.Tensor]) -> Iterator[Any]:
    """Yield the nodes of the graph above the carriers."""
    todo: list[Any] = [t.grad_fn for t in carriers]
    seen = {None}
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo.extend(following for following, _ in node.next_functions)
            yield node


def saved(node: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors that a node has saved."""
    for name in dir(node):
        if name.startswith("_saved_"):
            with contextlib.suppress(RuntimeError):  # what the same call has changed since can't be read
                value = getattr(node, name)
                items = value if isinstance(value, (list, tuple)) else [value]
                yield from (t for t in items if isinstance(t, torch.Tensor))
