"""What autograd sees of calls on inference tensors, measured again for some callables."""

from __future__ import annotations

from gradguard.facts.inference import Seen
from gradguard.facts.measure import catalogue, modules
from gradguard.facts.measure import inference as measured

from ..installed import FACTS

NAMES = ("torch.add", "torch.Tensor.clone", "torch.abs", "torch.Tensor.double", "torch.linalg.inv", "torch.softmax")
CLASSES = ("torch.nn.ReLU6", "torch.nn.ConstantPad1d")


def test_the_file_says_what_is_measured() -> None:
    calls = {name: some for name, some in modules.calls("cpu", 2).items() if name in CLASSES}
    found = measured.measure([e for e in catalogue.entries() if e.name in NAMES], calls, "cpu")
    assert found == {name: FACTS.rows("inference").get(name) for name in (*NAMES, *CLASSES)}


def test_an_answer_is_read() -> None:
    assert FACTS.inference.find("torch.Tensor.clone") == Seen(((1, 1),), seen=True)
    assert FACTS.inference.find("torch.softmax") == Seen(((0, 0),), seen=None)
    assert FACTS.inference.find("torch.nn.ReLU6") == Seen(((1, 1),), refused=True)
    assert FACTS.inference.find("torch.no_such_callable") is None
