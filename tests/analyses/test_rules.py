"""The families of operators: each operator has one at most, and each name is one that PyTorch has."""

from __future__ import annotations

import pytest
from gradguard.analyses.operators import autocast, rules
from gradguard.analyses.operators.call import NONE, Family
from gradguard.facts.releases import BASE


def test_every_name_has_a_fact() -> None:
    cast = autocast.LOWER | autocast.LOWER_CUDA | autocast.FULL | autocast.FULL_CUDA
    assert [name for name in (*rules.BY_NAME, *sorted(cast)) if BASE.table.find(name) is None] == []


def test_an_operator_belongs_to_one_family() -> None:
    with pytest.raises(ValueError, match=r"torch\.exp belongs to two families"):
        rules.by_name([(("torch.exp", "torch.log"), Family(copies=True)), (("torch.exp",), Family(finds_out=True))])


def test_what_no_file_names_has_no_rules() -> None:
    assert rules.of("torch.exp") is NONE
    assert rules.of("torch.clone").copies


def test_copies_of_views_are_copies() -> None:
    """Operators whose names end in `_copy` copy, but for those that write a tensor by an index."""
    table = BASE.table
    named = [name for name in table.names() if name.endswith("_copy")]
    named = [name for name in named if table.find(f"torch.Tensor.{last(name)}_") is None]
    assert [name for name in named if not rules.of(name).copies] == []


def last(name: str) -> str:
    return name.rpartition(".")[2]
