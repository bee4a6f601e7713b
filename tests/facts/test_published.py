"""What PyTorch's tables say of devices that were not measured."""

from __future__ import annotations

import pytest
from gradguard.facts.releases import BASE

from ..installed import FACTS

torch = pytest.importorskip("torch")

from gradguard.facts.measure import modules, published  # noqa: E402
from gradguard.facts.measure.catalogue import entries  # noqa: E402


def test_the_rows_are_what_the_tables_of_pytorch_say() -> None:
    classes = [some[0].cls for some in modules.calls("cpu", 1).values()]
    assert published.read(entries(), classes) == FACTS.rows("published").all()


def test_a_frozen_weight_needs_the_input_where_linear_is_one_operator() -> None:
    (line,) = BASE.published.told("torch.nn.functional.linear")
    assert line == (
        "  on mps: saves input and weight, if input or weight or bias requires grad "
        "(PyTorch's tables say so; not measured)"
    )


def test_what_has_the_same_node_everywhere_is_not_told_of() -> None:
    assert list(BASE.published.told("torch.nn.functional.conv2d")) == []
    assert list(BASE.published.told("torch.exp")) == []
