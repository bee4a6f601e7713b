"""What is saved as a view, and which results are views, measured again for some callables; and whether it is so."""

from __future__ import annotations

import torch
from gradguard.facts.measure import catalogue, modules
from gradguard.facts.measure import views as measured

from ..installed import FACTS

NAMES = ("torch.inner", "torch.Tensor.exp", "torch.nn.functional.avg_pool1d", "torch.conv1d")
CLASSES = ("torch.nn.RNN", "torch.nn.MaxPool1d")


def test_the_file_says_what_is_measured() -> None:
    calls = {name: some for name, some in modules.calls("cpu", measured.SAMPLES).items() if name in CLASSES}
    found = measured.measure([e for e in catalogue.entries() if e.name in NAMES], calls, "cpu")
    table = FACTS.rows("views").all()
    assert found == {name: table[name] for name in sorted((*NAMES, *CLASSES)) if name in table}
    assert len(found) == len(NAMES) + len(CLASSES) - 1  # `exp` does nothing of the kind


def test_what_is_told_is_read() -> None:
    assert FACTS.views.saved_as("torch.nn.RNN", "hx") == "pieces"
    assert FACTS.views.saved_as("torch.Tensor.exp", "self") == "itself"
    with torch.no_grad():
        assert torch.rand(3).inner(torch.rand(3))._is_view() is FACTS.views.gives_view("torch.inner", 0, 0) is True
        assert torch.rand(3).exp()._is_view() is FACTS.views.gives_view("torch.exp", 0, 1) is False
