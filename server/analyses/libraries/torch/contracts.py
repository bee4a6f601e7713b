"""What a custom Function owes autograd, and PyTorch does not check (`torch/autograd/function.py`).

An input that `forward` changes has to be named by `ctx.mark_dirty`: else what reads it afterwards goes back by the node
that it had before, and past the function. A tensor that `backward` reads has to be kept by `ctx.save_for_backward`: as
an attribute of `ctx` it is kept without its version, and nothing tells when it is changed.
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
    """Tensors as they are now, under the names by which they are kept."""
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
    """What a function has kept as attributes of its `ctx`."""
    found = [(t, f"ctx.{name}") for name, v in ctx.attributes.items() for t in cases.tensors_in(m, v)]
    return keep(m, [t for t, _ in found], [name for _, name in found])


def check_marked(
    m: Machine, cls: ClassV, node: Node, inputs: Sequence[SavedTensor], dirty: Sequence[Tensor], places: Sequence[int]
) -> None:
    """Tell of inputs, each as it was before `forward`, that this has changed without saying so.

    Nothing is wrong with a leaf, which has no past, nor where backward hands the gradient on as it came. Who changes
    what `.data` shows wants no one to know.
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
    """Whether a class's backward gives the gradient of its result for an input (a straight-through estimator)."""
    node = body_of(cls, "backward")
    names = [one.name for one in (*node.params.posonly, *node.params.args)] if node is not None else []
    if node is None or len(names) != 2:
        return False
    given = [s.value for s in statements_of(node.body) if isinstance(s, ir.Return)]
    firsts = [v.elts[place] if isinstance(v, ir.Tuple) and place < len(v.elts) else v for v in given]
    return bool(firsts) and all(isinstance(v, ir.Name) and v.id == names[1] for v in firsts)


def is_own(cls: ClassV, write: Write) -> bool:
    """Whether a class's backward makes a change itself: what it adds up is no tensor that went stale."""
    node = body_of(cls, "backward")
    sites = (write.site, *write.stack) if node is not None else ()
    return any(s.chunk is node.chunk and node.start <= s.node.start < node.end for s in sites if node is not None)


def body_of(cls: ClassV, name: str) -> ir.FunctionDef | None:
    """The text of a method that the program has written."""
    found: Value = cls.lookup(name)
    found = found.function if isinstance(found, StaticMethod) else found
    return found.node if isinstance(found, FunctionV) and isinstance(found.node, ir.FunctionDef) else None
