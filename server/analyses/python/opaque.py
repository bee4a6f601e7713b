"""What models give that come in as arguments: nothing is known of it but where its history may lead.

`out, hidden = model(x, hidden)` links a turn of a loop with the turn before. That the model lets gradients through and
keeps what it needs for them is a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.gradients import OPAQUE
from ..autograd.tensors import Node, Tensor, either
from ..domain.values import Cond, Unknown, Value
from . import sequences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..domain.values import Args
    from .machine import Machine


def is_model(f: Unknown) -> bool:
    """Whether a callable came in as an argument itself; of a method of something unknown, who knows what it gives."""
    return f.parameter and not isinstance(f.key, tuple)


def history(m: Machine, v: Unknown, f: Unknown, args: Args) -> Node | None:
    """The node behind the result `v` of a model: its edges lead to the tensors among the arguments."""
    given = [t for a in (*args.pos, *args.kw.values()) for t in _tensors(m, a)]
    node = m.grad.node(OPAQUE, given, frozenset({m.requires_grad(v)}))
    if node is not None:
        text = f"`{f.why}` keeps what its gradients need"
        node.called = f.why
        node.holds = frozenset({Cond((text, node.uid), "guess", text, m.here.site)})
    return node


def leads_on(v: Unknown) -> bool:
    """Whether what a model has given still leads back to it: not where it has been detached in place."""
    return isinstance(v.history, Node) and not v.history.cut


def cut(m: Machine, t: Tensor) -> None:
    """A tensor is detached in place, and with it all that came from the same call: its neighbours are, too."""
    for _, fn in m.state.alternatives(t.grad_fn):
        if isinstance(fn, Node) and fn.name == OPAQUE:
            m.state.put(fn, Node.cut, True)


def joined(m: Machine, result: Unknown, *operands: Value) -> Unknown:
    """The result of an operator on what models have given: if these are tensors, it leads to where they lead."""
    found = [v.history for v in operands if isinstance(v, Unknown) and leads_on(v)]
    if m.grad.grad_mode and found:
        result.history = found[0]
        for other in found[1:]:
            m.grad.order += 1
            both = (result.history, other)
            result.history = Node(OPAQUE, m.here.site, m.grad.order, both, either(*(one.when for one in both)))
    return result


def _tensors(m: Machine, v: Value) -> Iterator[Tensor]:
    """The tensors in an argument, and what stands for those in the result of another model; false, it has none."""
    for guards, one in sequences.inside(m, v):
        if isinstance(one, Tensor):
            yield one
        elif isinstance(one, Unknown):
            is_false = any(cond.key == one.key and not holds for cond, holds in guards)
            if not is_false and (one.tensor is not None or leads_on(one)):
                yield m.as_tensor(one)
