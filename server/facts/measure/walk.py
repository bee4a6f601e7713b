"""A second opinion on what is saved: the tensors that the nodes of the graph show as `_saved_…`.

Moving a version is the ground truth (`probe.py`). Nodes also have attributes with what they saved
(`tools/autograd/gen_autograd_functions.py`), and the storage of such a tensor says which input or result it is.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Storage = int
"""the address of a tensor's memory"""


def saved_storages(carriers: Iterable[torch.Tensor]) -> set[Storage]:
    """Return the storages of all tensors that are saved in the graph behind the carriers."""
    return {storage for node in nodes(carriers) for t in saved(node) if (storage := storage_of(t)) is not None}


def storage_of(tensor: torch.Tensor) -> Storage | None:
    """Return what identifies the tensor's memory; None if it is sparse or empty."""
    if tensor.layout != torch.strided or tensor.numel() == 0:
        return None
    return tensor.untyped_storage().data_ptr()


def nodes(carriers: Iterable[torch.Tensor]) -> Iterator[Any]:
    """Yield the nodes of the graph behind the carriers (results, or inputs that were changed)."""
    todo: list[Any] = [t.grad_fn for t in carriers]
    seen = {None}
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo.extend(following for following, _ in node.next_functions)
            yield node


def saved(node: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors that a node saved."""
    for name in dir(node):
        if name.startswith("_saved_"):
            with contextlib.suppress(RuntimeError):  # stale: the same call changed it after it was saved
                value = getattr(node, name)
                items = value if isinstance(value, (list, tuple)) else [value]
                yield from (t for t in items if isinstance(t, torch.Tensor))
