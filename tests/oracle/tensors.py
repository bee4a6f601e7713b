"""What tensors are asked without a program's noticing: whether they count, where they are, what made them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def counts(tensor: torch.Tensor) -> bool:
    """Whether a tensor has a version; one made in inference mode has none, whatever `data` it is given later."""
    try:
        return tensor._version >= 0
    except RuntimeError:
        return False


def tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors in a nest of containers, less sparse ones and those that a torch.func transform has wrapped."""
    import torch
    from torch.utils._pytree import tree_leaves

    wrapped = torch._C._functorch.is_functorch_wrapped_tensor
    tensors = [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]
    return [tensor for tensor in tensors if tensor.layout is torch.strided and not wrapped(tensor)]


def storage_of(tensor: torch.Tensor) -> int:
    """The identity of a tensor's memory, as long as that is alive."""
    return address(tensor.untyped_storage())


def address(storage: torch.UntypedStorage) -> int:
    """Where a storage's memory is: several storages may share it (dlpack makes such). Empty ones share nothing."""
    return storage.data_ptr() or int(storage._cdata)


def grad_fn(tensor: torch.Tensor) -> Any:
    """The node that made a tensor; None for a view that may not be used any more, which raises when asked."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def copied(tensor: torch.Tensor) -> torch.Tensor:
    """A copy that the program's own dispatch modes don't see: one in PyTorch fails on numbers that were saved."""
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes():
        return tensor.detach().clone()
