"""How backward hands gradients on, measured again for some callables."""

from __future__ import annotations

import pytest
from gradguard.facts.gradients import NEW, Way
from gradguard.facts.measure import catalogue, modules
from gradguard.facts.measure import gradients as measured

from ..installed import FACTS

NAMES = ("torch.add", "torch.mul", "torch.Tensor.sum", "torch.Tensor.index_select", "torch.Tensor.mul_", "torch.prod")


def test_the_file_says_what_is_measured() -> None:
    calls = {
        name: some
        for name, some in modules.calls("cpu", measured.SAMPLES).items()
        if name in ("torch.nn.ReLU", "torch.nn.Linear")
    }
    found = measured.measure([e for e in catalogue.entries() if e.name in NAMES], calls, "cpu")
    table = FACTS.rows("gradients").all()
    assert len(found) == len(NAMES) + 2
    assert found == {name: table[name] for name in found}


@pytest.mark.parametrize(
    ("name", "parameter", "same_shape", "way"),
    [
        ("torch.add", "input", True, Way(True, True, True, True, 0, 0, False, True)),
        ("torch.mul", "input", True, NEW),
        ("torch.Tensor.sum", "self", False, Way(True, False, False, False, 0, 0, True, True)),
        ("torch.no_such_callable", "self", True, None),
    ],
)
def test_a_way_is_read(name: str, parameter: str, same_shape: bool, way: Way | None) -> None:
    assert FACTS.gradients.find(name, parameter, same_shape) == way
