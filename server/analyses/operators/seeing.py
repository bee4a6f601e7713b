"""Whether autograd sees a call of inference tensors.

Outside of inference mode it doesn't see one whose operands are all inference tensors, and it does if one is not:

    with torch.inference_mode():
        x = torch.ones(3)
    y = x + x        # unseen: y is a normal tensor that has no history
    z = x + 1        # seen: goes on with a tensor that was made of 1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import is_of, operator_of
from .cases import called

if TYPE_CHECKING:
    from ...facts.model import Case
    from .call import Call
    from .interpreter import Interpreter


def is_seen(m: Interpreter, case: Case, call: Call) -> bool | None:
    """Whether autograd records a call; None if that is unknown.

    It is unknown for calls that consist of several operators, since some of these may not get all of the operands.
    """
    given = call.all()
    normal = [t for t in given if t.is_inference is not True]
    if m.grad.mode["inference"] or len(normal) == len(given):
        return True
    if normal:
        needs = any(m.grad.requires_grad(t) is not False for t in normal)
        return True if needs or is_one_operator(m, case, call) else None
    answer = call.family.seen(m, call) if call.family.seen is not None else None
    if answer is not None:
        return answer
    if called(call.name).endswith("_"):
        return False
    fact = m.facts.inference.find(call.name)
    if fact is not None and fact.refused:
        refuse(m, call)
    return None if fact is None else fact.seen


def refuse(m: Interpreter, call: Call) -> None:
    """A call passes `out=` to an inner operator, which refuses it if anything requires grad."""
    if m.grad.grad_mode and any(m.grad.requires_grad(t) is True for t in call.all()):
        m.grad.fail("out-grad", "direct", call.all()[0], detail=called(call.name))


def is_one_operator(m: Interpreter, case: Case, call: Call) -> bool:
    """Whether a call makes one node: one that is named after it, or after an operator that it is an alias of."""
    if case.node is None or is_of(case.node, called(call.name)):
        return True
    op, other = m.facts.table.operator(call.name), m.facts.table.operator(f"torch.{operator_of(case.node)}")
    return op is not None and other is not None and (op.params, op.cases) == (other.params, other.cases)
