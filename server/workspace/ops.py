"""The project's own operators: what the configuration says of them, as facts that a replay can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.model import REQUIRED, Case, Mutation, Op, Param, Result, Save

if TYPE_CHECKING:
    from .config import OwnOp


def fact_of(name: str, op: OwnOp) -> Op:
    """The fact about an operator: it saves and changes what the table says, and returns a new tensor.

    Every parameter is assumed differentiable: tensors are saved if one of them requires grad.
    """
    named = dict.fromkeys((*op.params, *op.saves, *op.mutates))
    params = [param for param in named if param != "out"]
    grads = tuple(frozenset((param,)) for param in params)
    case = Case(
        tests=(),
        flows=frozenset(params),
        saves=tuple(Save(what, grads) for what in op.saves),
        frees=grads if op.saves else (),
        mutates=tuple(Mutation(what, bumps=1) for what in op.mutates),
        results=(Result("new"),),
    )
    return Op(name, tuple(Param(param, REQUIRED) for param in params), (case,))
