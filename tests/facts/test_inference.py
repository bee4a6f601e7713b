"""How often results of calls on inference tensors were written, measured again for some callables."""

from __future__ import annotations

import json

from gradguard.facts import inference
from gradguard.facts.measure import catalogue
from gradguard.facts.measure import inference as measured

NAMES = ("torch.add", "torch.Tensor.clone", "torch.abs", "torch.Tensor.double", "torch.linalg.inv")


def test_the_file_says_what_is_measured() -> None:
    found = measured.measure([e for e in catalogue.entries() if e.name in NAMES], "cpu")
    table = json.loads(inference.PATH.read_text("utf-8"))
    assert found == {name: table[name] for name in NAMES}


def test_a_number_is_read() -> None:
    assert inference.find("torch.Tensor.clone", 0) == (1, 1)
    assert inference.find("torch.no_such_callable", 0) is None
