"""How many times an operator writes its argument, or its new result before it returns it.

    y.add_(1)                                                       # moves the counter of `y` by 1
    F.margin_ranking_loss(a, b, target, reduction="mean")           # its result has version 0,
    F.margin_ranking_loss(a, b, target, reduction="none")           # this one version 1: it was clamped in place

For most operators that is one number, which the table of facts has. Where the samples showed several, the arguments
decide, by the rules of the operator's own code; `tests/analyses/test_inner_writes.py` holds them against real calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...facts.model import Mutation
    from ..autograd.gradients import Times
    from .call import Call
    from .interpreter import Interpreter


def times(m: Interpreter, call: Call, told: tuple[int, int], number: int = 0) -> Times:
    """How many times a new result of the call, by its number, was written; `told` is the fact's answer."""
    family, given = call.family, call.all()
    inferences = [t for t in given if t.is_inference is True]
    if given and len(inferences) == len(given) and not m.grad.mode["inference"]:
        known = family.unseen_writes(m, call) if family.unseen_writes is not None else None
        return known or of_inference_tensors(m, call.name, number)
    if family.copies and inferences:
        return 1, 1
    asked = family.writes is not None and number == 0 and (family.always or told[0] != told[1])
    return (family.writes(m, call) if asked and family.writes is not None else None) or told


FEW = 3
"""up to this many writes are assumed to hold for all arguments; more may be one for each item or row"""


def of_inference_tensors(m: Interpreter, name: str, number: int = 0) -> Times:
    """How many times a new result was written in a call that autograd doesn't record, inner operators included."""
    fact = m.facts.inference.find(name)
    told = fact.written[number] if fact is not None and number < len(fact.written) else None
    return told if told is not None and told[0] == told[1] <= FEW else (0, None)


def changes(m: Interpreter, call: Call, change: Mutation) -> Times:
    """How many times the call moves the version of an argument that it changes."""
    rule = call.family.changes
    return (rule(m, call, change) if rule is not None else None) or (change.bumps, change.bumps)
