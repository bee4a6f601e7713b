"""Which results have a graph of their own, measured again for some callables; and whether it is so."""

from __future__ import annotations

import pytest
import torch
from gradguard.facts.branches import Part
from gradguard.facts.measure import branches as measured
from gradguard.facts.measure import catalogue, modules

from ..installed import FACTS

NAMES = (
    "torch.gradient",
    "torch.svd",
    "torch.linalg.qr",
    "torch._foreach_exp_",
    "torch._foreach_exp",
    "torch.lstm_cell",
)
CLASSES = ("torch.nn.MultiheadAttention", "torch.nn.AdaptiveLogSoftmaxWithLoss")


def test_the_file_says_what_is_measured() -> None:
    calls = {name: some for name, some in modules.calls("cpu", measured.SAMPLES).items() if name in CLASSES}
    found = measured.measure([e for e in catalogue.entries() if e.name in NAMES], calls, "cpu")
    table = FACTS.rows("branches").all()
    assert found == {name: table[name] for name in sorted((*NAMES, *CLASSES)) if name in table}
    assert not {"torch.svd", "torch.linalg.qr", "torch._foreach_exp"} & set(found)
    assert len(found) == 5


def test_what_is_told_is_read() -> None:
    known = FACTS.branches.find("torch.nn.MultiheadAttention")
    assert known is not None
    assert known.shared is not None
    out, weights = known.of(0), known.of(1)
    assert out is not None
    assert weights is None
    assert "value" in out.flows - known.shared.flows
    assert {"query", "key"} <= known.shared.saves
    assert not known.each
    several = FACTS.branches.find("torch._foreach_exp_")
    assert several is not None
    assert several.each
    assert several.shared is None
    assert isinstance(several.of(7), Part)


@pytest.mark.parametrize("needs", ["query", "key", "value"])
def test_attention_weights_come_of_query_and_key(needs: str) -> None:
    known = FACTS.branches.find("torch.nn.functional.multi_head_attention_forward")
    assert known is not None
    assert known.shared is not None
    given = {name: torch.rand(3, 1, 4, requires_grad=name == needs) for name in ("query", "key", "value")}
    attention = torch.nn.MultiheadAttention(4, 2).requires_grad_(False)
    _, weights = attention(**given)
    assert weights.requires_grad is (needs in known.shared.flows)
