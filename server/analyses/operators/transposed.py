"""How a tensor may lie in memory of which no size is known: its node tells where it comes from.

y = conv(x).transpose(1, 2)     # a transposition: nobody who writes `y.contiguous()` expects no copy
z = y + 1                       # a result lies as its operand does: a product may need a copy of it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import Node

if TYPE_CHECKING:
    from ..autograd.tensors import Tensor
    from ..domain.values import Value
    from .interpreter import Interpreter

TRANSPOSITIONS = frozenset({"PermuteBackward0", "TBackward0", "TransposeBackward0"})

MOST = 12
"""nodes in a row that are looked through"""


def is_transposed(m: Interpreter, t: Tensor) -> bool:
    """Whether a tensor is the transposition of something that is none itself."""
    made = [node for _, node in m.state.alternatives(t.grad_fn)]
    return bool(made) and all(transposes(one) and not any(map(transposes, one.edges)) for one in made)


def lies_otherwise(m: Interpreter, t: Tensor) -> bool:
    """Whether a tensor comes from a transposition by operators whose results lie as their operands do."""
    todo, seen = [t.grad_fn], set[int]()
    while todo and len(seen) < MOST:
        for _, node in m.state.alternatives(todo.pop()):
            if not isinstance(node, Node) or node.uid in seen:
                continue
            if transposes(node):
                return True
            seen.add(node.uid)
            if node.op is not None and m.facts.layouts.find(node.op, 0)[1] not in (None, "rows"):
                todo += node.edges
    return False


def transposes(v: Value) -> bool:
    """Whether something is the node of a transposition."""
    return isinstance(v, Node) and v.name in TRANSPOSITIONS
