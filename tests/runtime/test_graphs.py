"""Every operator of PyTorch's own test suite makes the same graph, and saves the same, whether it is watched or not."""

from __future__ import annotations

import warnings
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gradguard.runtime import watch
from torch.testing._internal.common_methods_invocations import op_db

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES = 3
"""of each operator"""


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(one)


def graph(result: Any, given: list[torch.Tensor]) -> list[tuple[str, list[tuple[str, int | None]]]]:
    """The nodes from the result on, and of what each has saved, which argument it is."""
    numbers = {one.untyped_storage().data_ptr(): i for i, one in enumerate(given) if one.layout is torch.strided}
    todo, seen, found = [one.grad_fn for one in tensors_in(result)], set(), []
    while todo:
        node = todo.pop(0)
        if node is None or node in seen:
            continue
        seen.add(node)
        saved = [
            (name, numbers.get(one.untyped_storage().data_ptr()))
            for name in sorted(dir(node))
            if name.startswith("_saved_")
            for one in tensors_in(getattr(node, name))
            if one.layout is torch.strided
        ]
        found.append((node.name().replace("ReshapeAlias", "View"), saved))  # which one it is depends on the mode
        todo += [following for following, _ in node.next_functions]
    return found


def made(op: Any, sample: Any) -> list[Any] | str:
    """The graph of a call, or the error that it ends in."""
    arguments = (sample.input, *sample.args)
    torch.manual_seed(0)
    try:
        return graph(op(*arguments, **sample.kwargs), list(tensors_in((arguments, sample.kwargs))))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("part", range(4))
def test_what_is_saved_is_what_is_saved_without(part: int) -> None:
    apart = {}
    for op in [one for one in op_db if one.supports_autograd][part::4]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for sample in islice(op.sample_inputs("cpu", torch.float32, requires_grad=True), SAMPLES):
                alone = made(op, sample)
                with watch():
                    watched = made(op, sample)
                if alone != watched:
                    apart[op.formatted_name] = alone, watched
    assert not apart
