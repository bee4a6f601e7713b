"""Recurrent layers: the LSTM has a kernel of oneDNN's, which saves something else than its formula does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....facts.model import Case, ModuleFact, Op
from ..call import Call, Family
from ..cases import by_conditions
from .names import modules

if TYPE_CHECKING:
    from ..interpreter import Interpreter

FUSED = frozenset({None, "float32", "bfloat16"})
"""The types of numbers that oneDNN has an LSTM for (`use_mkldnn` in `native/RNN.cpp`)."""


def unfused(m: Interpreter, op: Op, call: Call) -> Case | None:
    """The case of an LSTM that oneDNN has none for: it is made of small operations, and saves what a GRU does."""
    given = [t.dtype_ for t in call.tensors.get("input", ())]
    if all(d in FUSED for d in given) and call.settings.get("proj_size", 0) in (0, None):
        return None
    gru = m.facts.table.find("torch.nn.GRU")
    assert isinstance(gru, ModuleFact)
    other = by_conditions(Op(gru.name, gru.forward, gru.cases), call)
    return replace(by_conditions(op, call), saves=other.saves, node=other.node)


FAMILIES = {modules("LSTM"): Family(case=unfused)}
