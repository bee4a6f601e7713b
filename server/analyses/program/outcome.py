"""What an entry point came to: what its caller runs backward through, and what that graph saves of what was passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import Tensor
from ..domain.paths import gated
from ..domain.values import Unknown
from ..python import opaque, sequences
from .definitions import by_parameter

if TYPE_CHECKING:
    from ..domain.values import Args, FunctionV, Value
    from ..python.machine import Machine


def backward_from(m: Machine, result: Value, first: tuple[int, int] | None = None) -> None:
    """Run backward on every tensor in a result, as a caller would on the loss made of them.

    It never runs backward twice through one thing: no caller would do so after the program, or another entry, has. But
    one that trains a module step by step does, if that leads to what the `first` step has made, and its backward freed.
    """
    given = [(guards, opaque.as_given(m, one)) for guards, one in sequences.inside(m, result)]
    roots = [
        gated(m.grad.grad_fn(t), guards)
        for guards, t in given
        if isinstance(t, Tensor) and m.grad.requires_grad(t) is not False
    ]
    if roots:
        m.grad.take_as_kept(n for n in m.grad.reached(roots, ()) if first is None or first not in n.iterations)
        m.grad.backward(roots, retain=first is None, accumulate=False)


def saved_by(m: Machine, forward: FunctionV, args: Args, result: Value) -> frozenset[str]:
    """The parameters of a module's forward whose arguments the graph of its result saves in any case."""
    roots = [m.grad.grad_fn(t) for guards, t in sequences.inside(m, result) if isinstance(t, Tensor) and not guards]
    sure = (node for node, when in m.grad.reached(roots, ()).items() if when is True and node.when is True)
    saved = {id(s.storage) for node in sure for s in node.saved if s.when is True and s.checked}
    given = {name: tensor_of(m, v) for name, v in by_parameter(forward, args, 1).items()}
    return frozenset(name for name, t in given.items() if t is not None and id(m.grad.storage(t)) in saved)


def gives_back(m: Machine, args: Args, result: Value) -> bool:
    """Whether a function returns an argument, or a view of one: of one in place, nobody differentiates what else is."""
    own = {id(m.grad.storage(t)) for v in args if (t := tensor_of(m, v)) is not None}
    return any(isinstance(t, Tensor) and id(m.grad.storage(t)) in own for _, t in sequences.inside(m, result))


def tensor_of(m: Machine, v: Value) -> Tensor | None:
    """A tensor, or the one that an unknown value was found to be; None if it was found to be none."""
    t = m.found_out(v) if isinstance(v, Unknown) else v
    return t if isinstance(t, Tensor) else None
