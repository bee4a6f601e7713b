"""Results of unknown calls: all that is known of them is which tensors their history may lead to.

`out, hidden = model(x, hidden)` links a turn of a loop with the turn before; `loss = criterion(out, y)`, then
`loss.backward()`, shows that `criterion` of an unseen library has passed gradients on. That a model which was passed in
as an argument lets gradients through, and that a call keeps what it needs for them, is a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.gradients import OPAQUE
from ..autograd.tensors import Node, Tensor, either
from ..domain.known import attribute
from ..domain.paths import gated
from ..domain.values import LINK, Args, Cond, Unknown, Value
from . import sequences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..domain.paths import Guards
    from .machine import Machine


def is_model(f: Unknown) -> bool:
    """Whether a callable was passed in as an argument itself; the method of something unknown may return anything."""
    return f.parameter and not isinstance(f.key, tuple)


def history(m: Machine, v: Unknown, called: str, args: Args, sure: bool = False) -> Node | None:
    """The node behind the result `v` of a model: its edges lead to the tensors among the arguments.

    It is `sure` that the result requires grad where the model has parameters of its own.
    """
    given = [one for a in (*args.pos, *args.kw.values()) for one in guarded(m, a)]
    node = m.grad.node(OPAQUE, [t for _, t in given], sure or frozenset({m.requires_grad(v)}))
    if node is not None:
        node.edges = tuple(
            edge if fed is None else gated(edge, given[fed[0]][0])
            for edge, fed in zip(node.edges, node.fed, strict=True)
        )
        text = f"`{called}` keeps what its gradients need"
        node.called = called
        node.holds = frozenset({Cond((text, node.uid), "guess", text, m.here.site)})
    return node


def linked(m: Machine, v: Unknown, called: str, args: Args, method: Value = None, sure: bool = False) -> Unknown:
    """The result `v` of an unknown call: if it requires grad, its gradient may flow to the arguments that have a graph.

    A `method` of another call's result, called without further tensors, leads where that result leads. What is called
    itself is a model or a function that a call has made or wrapped, and no tensor: that call has saved nothing.
    """
    if not m.grad.grad_mode:
        return v
    if isinstance(method, Unknown) and leads_on(method) and not is_attribute(method):
        m.state.note(method.history, "holds", False)
    if has_graph(m, args):
        node = history(m, v, called, Args([*args, method]), sure)
        if node is not None:
            text = m.explain.text(m.here.site) or f"{called}(…)"
            passes = Cond((LINK, m.requires_grad(v)), LINK, text, m.here.site)
            node.edges = tuple(gated(edge, ((passes, True),)) for edge in node.edges)
            node.trained = isinstance(method, Unknown) and ("attr", method.key, "parameters") in m.read
        v.history = node
        return v
    return joined(m, v, method)


def has_graph(m: Machine, args: Args) -> bool:
    """Whether a tensor among the arguments certainly has a graph."""
    return any(_has_graph(m, t) for a in args for t in tensors(m, a))


def _has_graph(m: Machine, t: Tensor) -> bool:
    """Whether a tensor certainly has a node, or is a leaf that gets a gradient."""
    return m.grad.requires_grad(t) is True or any(isinstance(fn, Node) for _, fn in m.state.alternatives(t.grad_fn))


def leads_on(v: Unknown) -> bool:
    """Whether a model's result still leads back to the model: not if it has been detached in place."""
    return isinstance(v.history, Node) and not v.history.cut


def cut(m: Machine, t: Tensor) -> None:
    """A tensor is detached in place, and with it all results of the same call: programs detach its neighbours, too."""
    for _, fn in m.state.alternatives(t.grad_fn):
        if isinstance(fn, Node) and fn.name == OPAQUE:
            m.state.put(fn, Node.cut, True)


def joined(m: Machine, result: Unknown, *operands: Value) -> Unknown:
    """The result of an operator on results of models: if these are tensors, it leads where they lead."""
    found = [v.history for v in operands if isinstance(v, Unknown) and leads_on(v)]
    if m.grad.grad_mode and found:
        result.history = found[0]
        for other in found[1:]:
            m.grad.order += 1
            both = (result.history, other)
            result.history = Node(OPAQUE, m.here.site, m.grad.order, both, either(*(one.when for one in both)))
    return result


def is_given(v: Unknown) -> bool:
    """Whether a value is the direct result of a call with a graph, and so not None, as one of its attributes may be."""
    return v.history is not None and not is_attribute(v)


def is_attribute(v: Unknown) -> bool:
    """Whether a value is an attribute of another, such as a method."""
    return attribute(v.key) is not None


def as_given(m: Machine, v: Value) -> Value:
    """A value, or the tensor that it must be if it is the result of a call that may have passed gradients on."""
    return m.as_tensor(v) if isinstance(v, Unknown) and leads_on(v) else v


def tensors(m: Machine, v: Value) -> Iterator[Tensor]:
    """The tensors in an argument, and what stands for those in another model's result; something false for none."""
    return (t for _, t in guarded(m, v))


def guarded(m: Machine, v: Value) -> Iterator[tuple[Guards, Tensor]]:
    """The same, each with the conditions under which it is there."""
    for guards, one in sequences.inside(m, v):
        if isinstance(one, Tensor):
            yield guards, one
        elif isinstance(one, Unknown):
            is_false = any(cond.key == one.key and not holds for cond, holds in guards)
            if not is_false and (one.tensor is not None or leads_on(one)):
                yield guards, m.as_tensor(one)
