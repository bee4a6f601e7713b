"""Recurrent layers: the LSTM has a kernel of oneDNN's, which saves something else than its formula does.

All save their input as it lies in memory step by step: of another layout, as a batch comes with `batch_first`, a copy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....facts.model import Case, ModuleFact, Op
from ..call import Call, Family
from ..cases import by_conditions, saves_of
from .names import modules

if TYPE_CHECKING:
    from ..interpreter import Interpreter

FUSED = frozenset({None, "float32", "bfloat16"})
"""The types of numbers that oneDNN has an LSTM for (`use_mkldnn` in `native/RNN.cpp`)."""


def laid_out(m: Interpreter, op: Op, call: Call) -> Case:
    """The case of an input that is, or isn't, in the order of its steps; a batch is taken to have several samples."""
    case = unfused(m, op, call) or by_conditions(op, call)
    first, g = call.option(m, "batch_first", False) is True, call.layout()
    if g is None and not first:
        return case
    if g is None:
        itself = False
    elif first and g.ndim == 3:
        itself = g.transpose(0, 1).is_usually_contiguous() is True
    else:
        itself = g.is_usually_contiguous() is not False
    others = [s for s in case.saves if s.what != "input"]
    return replace(case, saves=(*saves_of(op, case, "input")[: int(itself)], *others))


def unfused(m: Interpreter, op: Op, call: Call) -> Case | None:
    """The case of an LSTM that oneDNN has none for: it is made of small operations, and saves what a GRU does."""
    if not op.name.endswith("LSTM"):
        return None
    given = [t.dtype_ for t in call.tensors.get("input", ())]
    if all(d in FUSED for d in given) and call.settings.get("proj_size", 0) in (0, None):
        return None
    gru = m.facts.table.find("torch.nn.GRU")
    assert isinstance(gru, ModuleFact)
    other = by_conditions(Op(gru.name, gru.forward, gru.cases), call)
    return replace(by_conditions(op, call), saves=other.saves, node=other.node)


FAMILIES = {modules("LSTM GRU RNN"): Family(case=laid_out)}
