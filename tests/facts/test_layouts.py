"""How results lie in memory, measured again for some callables."""

from __future__ import annotations

import pytest
from gradguard.facts.layouts import ROWS, Rules
from gradguard.facts.measure import catalogue, modules
from gradguard.facts.measure import layouts as measured

from ..installed import FACTS

NAMES = ("torch.add", "torch.Tensor.clone", "torch.where", "torch.linalg.qr", "torch.Tensor.sort", "torch.mm")


def test_the_file_says_what_is_measured() -> None:
    wanted = ("torch.nn.ReLU", "torch.nn.Linear")
    calls = {name: some for name, some in modules.calls("cpu", measured.SAMPLES).items() if name in wanted}
    found = measured.measure([e for e in catalogue.entries() if e.name in NAMES], calls, "cpu")
    table = FACTS.rows("layouts").all()
    assert found == {name: table[name] for name in (*NAMES, *wanted) if name in table}
    assert set(found) == {*NAMES, *wanted} - {"torch.mm", "torch.nn.Linear"}


@pytest.mark.parametrize(
    ("name", "result", "told"),
    [
        ("torch.add", 0, ("rows", "operands")),
        ("torch.linalg.qr", 1, ("columns", "columns")),
        ("torch.mm", 0, ROWS),
        ("torch.no_such_callable", 0, ROWS),
    ],
)
def test_a_layout_is_read(name: str, result: int, told: Rules) -> None:
    assert FACTS.layouts.find(name, result) == told
