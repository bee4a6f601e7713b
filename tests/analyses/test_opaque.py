"""Models that come in as arguments: their results lead to what they were given, as far as a guess goes.

Each function is called on PyTorch as well, with a recurrent model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.analyses import replay
from gradguard.rules.diagnostic import diagnose
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse

from .models.agreement import happens
from .replaying import Alone

if TYPE_CHECKING:
    from pathlib import Path

LOOP = """
def train(model, loader):
    {start}
    for x in loader:
        {turn}
        {loss}.backward()
        {end}
"""

APART = """
def apart(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(apart(v) for v in h)
"""

IN_PLACE = """
def train(model, loader):
    hidden = None
    for x in loader:
        out, hidden = model(x, hidden)
        out.sum().backward()
        for h in hidden:
            h.detach_()
"""

TWO = """
def train(model, loader):
    for x in loader:
        out, _ = model(x)
        first, second = out.sum(), out.norm()
        first.backward({keep})
        second.backward()
"""

SINK = """
class Trainer:
    def __init__(self, model, criterion):
        self.model, self.criterion = model, criterion

    def run(self, loader):
        total = 0
        for x in loader:
            loss = self.criterion(self.model(x)[0], x)
            {total}
            {root}.backward()


def train(model, loader):
    Trainer(model, torch.nn.MSELoss()).run(loader)
"""


def loop(start: str = "hidden = None", turn: str = "out, hidden = model(x, hidden)", loss: str = "out.sum()",
         end: str = "pass") -> str:  # fmt: skip
    return LOOP.format(start=start, turn=turn, loss=loss, end=end)


HEAD = "import torch\n"
CALL = "\n\ntrain(torch.nn.LSTM(4, 4), [torch.rand(2, 1, 4) for _ in range(3)])\n"

FAILING = [
    loop(),
    loop(turn="out, (h, c) = model(x, hidden)\n        hidden = (h, c)"),
    loop(start="hidden = (torch.zeros(1, 1, 4), torch.zeros(1, 1, 4))"),
    loop(loss="(out - x).square().mean()"),
    TWO.format(keep=""),
]

KNOWN = SINK.format(total="total = total + loss", root="total")
"""what was freed is the loss's own, of which all is known"""

CALLED = "out, hidden = model(x, hidden)"

HARMLESS = [
    loop(end="hidden = tuple(h.detach() for h in hidden)"),
    loop(end="hidden = None"),
    loop(turn=f"if hidden:\n            hidden = tuple(h.detach() for h in hidden)\n        {CALLED}"),
    loop(turn=f"hidden = hidden and tuple(h.detach() for h in hidden)\n        {CALLED}"),
    loop(turn="out, _ = model(x, hidden)"),
    APART + loop(end="hidden = apart(hidden)"),
    APART + loop(turn=f"if hidden is not None:\n            hidden = apart(hidden)\n        {CALLED}"),
    IN_PLACE,
    TWO.format(keep="retain_graph=True"),
    SINK.format(total="total = total + loss.item()", root="loss"),
    SINK.format(total="total = total + loss.detach()", root="loss"),
]


@pytest.mark.parametrize(
    ("text", "severity"), [*((text, Severity.HINT) for text in FAILING), (KNOWN, Severity.WARNING)]
)
def test_a_graph_that_a_model_leads_into(text: str, severity: Severity, tmp_path: Path) -> None:
    found = diagnose(replay([parse(HEAD + text, "main.py")], Alone()))
    assert happens(tmp_path, HEAD + text + CALL) == {"freed-graph"}
    assert [(one.failure and one.failure.kind, one.severity) for one in found] == [("freed-graph", severity)]


@pytest.mark.parametrize("text", HARMLESS)
def test_a_graph_that_is_left(text: str, tmp_path: Path) -> None:
    assert not happens(tmp_path, HEAD + text + CALL)
    assert diagnose(replay([parse(HEAD + text, "main.py")], Alone())) == []
