"""What a custom Function owes autograd, and PyTorch doesn't check (`torch/autograd/function.py`).

@staticmethod
def forward(ctx, x, w):
    x.mul_(2)       # not passed to `ctx.mark_dirty`: x keeps its node, so later gradients bypass the function
    ctx.w = w       # not passed to `ctx.save_for_backward`: kept without a version, so changes go unnoticed
    return x * w
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....syntax import ir
from ....syntax.walk import statements as statements_of
from ...autograd.tensors import SavedTensor, Unmarked
from ...domain.values import FunctionV, StaticMethod
from ...operators import cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...autograd.tensors import Node, Tensor
    from ...domain.report import Write
    from ...domain.values import ClassV, Instance, Value
    from ...python.machine import Machine


def keep(m: Machine, tensors: Sequence[Tensor], named: Sequence[str] = ()) -> list[SavedTensor]:
    """A record of tensors in their present state, by the names under which they are kept."""
    names = named or [t.name or "" for t in tensors]
    return [
        SavedTensor(
            *(t, m.grad.storage(t), m.grad.counter(t), m.grad.version(t)),
            *(m.state.resolve(m.grad.storage(t).content), name, t.name),
            geometry=t.geometry,
        )
        for t, name in zip(tensors, names, strict=True)
    ]


def attributes_of(m: Machine, ctx: Instance) -> list[SavedTensor]:
    """The tensors that a function has kept as attributes of its `ctx`."""
    found = [(t, f"ctx.{name}") for name, v in ctx.attributes.items() for t in cases.tensors_in(m, v)]
    return keep(m, [t for t, _ in found], [name for _, name in found])


def check_marked(
    m: Machine, cls: ClassV, node: Node, inputs: Sequence[SavedTensor], dirty: Sequence[Tensor], places: Sequence[int]
) -> None:
    """Report inputs, recorded before `forward`, that it has changed without marking them.

    There is nothing wrong with a leaf, which has no history, or if backward returns the gradient unchanged. A change
    through `.data` is hidden on purpose.
    """
    for place, before in zip(places, inputs, strict=True):
        t = before.tensor
        if m.grad.requires_grad(t) is not True or any(m.grad.storage(one) is before.storage for one in dirty):
            continue
        writes = [write for on, write in m.grad.writes(before) if not on]
        if writes and not hands_on(cls, place):
            m.grad.host.report(m.explain.unmarked(writes[0]))
            m.state.set(m.grad.unmarked, before.storage, Unmarked(writes[0], node.order, t.geometry))


def hands_on(cls: ClassV, place: int) -> bool:
    """Whether a class's backward returns the gradient of its result for an input (a straight-through estimator)."""
    node = body_of(cls, "backward")
    names = [one.name for one in (*node.params.posonly, *node.params.args)] if node is not None else []
    if node is None or len(names) != 2:
        return False
    given = [s.value for s in statements_of(node.body) if isinstance(s, ir.Return)]
    firsts = [v.elts[place] if isinstance(v, ir.Tuple) and place < len(v.elts) else v for v in given]
    return bool(firsts) and all(isinstance(v, ir.Name) and v.id == names[1] for v in firsts)


def is_own(cls: ClassV, write: Write) -> bool:
    """Whether a class's backward makes the change itself: a tensor in which it accumulates doesn't go stale."""
    node = body_of(cls, "backward")
    sites = (write.site, *write.stack) if node is not None else ()
    return any(s.chunk is node.chunk and node.start <= s.node.start < node.end for s in sites if node is not None)


def body_of(cls: ClassV, name: str) -> ir.FunctionDef | None:
    """The body of a method of the program."""
    found: Value = cls.lookup(name)
    found = found.function if isinstance(found, StaticMethod) else found
    return found.node if isinstance(found, FunctionV) and isinstance(found.node, ir.FunctionDef) else None
