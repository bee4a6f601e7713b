"""Functions that expand several tensors to one shape, each result a view of its own argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain.registry import model
from ...domain.values import Args, Lib, ListV, Unknown, Value
from ...operators import cases
from ...operators.rules.products import broadcast
from ...python import sequences

if TYPE_CHECKING:
    from ...autograd.geometry import Shape
    from ...autograd.tensors import Tensor
    from ...python.machine import Machine


def several(m: Machine, args: Args) -> list[Tensor]:
    """Tensors that are passed one by one, or in a list."""
    first = m.state.resolve(args.get(0, "tensors"))
    given = sequences.sequence(m, first).known() if isinstance(first, (tuple, ListV)) else args.pos
    return cases.tensors_in(m, tuple(given))


def expanded(m: Machine, t: Tensor, placed: Shape, whole: Shape) -> Value:
    """`t.view(placed).expand(whole)`."""
    view = m.call(Lib("torch.Tensor.view"), Args([t, sizes(placed)])) if placed != t.shape else t
    return m.call(Lib("torch.Tensor.expand"), Args([view, sizes(whole)]))


def sizes(shape: Shape) -> tuple[Value, ...]:
    """A shape as an argument."""
    return tuple(Unknown("a size", number=True) if n is None else n for n in shape)


@model("torch.broadcast_tensors", "torch.functional.broadcast_tensors")
def broadcast_tensors(m: Machine, args: Args) -> Value:
    """`broadcast_tensors(*tensors)`: what fits is returned unchanged (`expand_outplace`, ATen/ExpandUtils.h)."""
    tensors = several(m, args)
    whole: Shape = ()
    for t in tensors:
        if t.shape is None:
            return tuple(m.call(Lib("torch.Tensor.expand_as"), Args([t, other])) for t, other in around(tensors))
        whole = broadcast(whole, t.shape)
    return tuple(t if t.shape == whole and None not in whole else expanded(m, t, t.shape or (), whole) for t in tensors)


def around(tensors: list[Tensor]) -> list[tuple[Tensor, Tensor]]:
    """Each tensor with another one."""
    return list(zip(tensors, (*tensors[1:], *tensors[:1]), strict=True))


@model("torch.meshgrid", "torch.functional.meshgrid")
def meshgrid(m: Machine, args: Args) -> Value:
    """`meshgrid(*tensors, indexing)` (`meshgrid` of `aten/src/ATen/native/TensorShape.cpp`)."""
    tensors, swap = several(m, args), m.state.resolve(args.kw.get("indexing")) == "xy"
    lengths = [t.shape[0] if t.shape else None if t.shape is None else 1 for t in tensors]
    order = [1, 0, *range(2, len(tensors))] if swap and len(tensors) > 1 else list(range(len(tensors)))
    whole = tuple(lengths[i] for i in order)
    made = []
    for i, t in enumerate(tensors):
        placed = tuple(lengths[i] if at == i else 1 for at in order)
        made.append(expanded(m, t, placed, whole))
    return tuple(made)
