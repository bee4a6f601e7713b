"""Functions of which the callers are not in sight: that they call `backward()` shows that the loss requires grad.

Each is called on PyTorch as well, with a model that has parameters.
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

TWICE = """
def train(model, x, y):
    loss = F.mse_loss(model(x), y)
    loss.backward({first})
    {second}.backward()
"""

SAVED = """
def train(model, x, y):
    p = {made}
    p {change}
    (p - y).square().mean().backward()
"""

SUMMED = """
def train(model, x, y):
    total = 0
    for row, target in zip(x, y):
        total = total + F.mse_loss(model(row), target)
        {root}.backward()
"""

KEPT = """
class Trainer:
    def __init__(self, model):
        self.model = model

    def step(self, x, y):
        loss = F.mse_loss(self.model(x), y)
        loss.backward()
        {second}.backward()


def train(model, x, y):
    Trainer(model).step(x, y)
"""

HEAD = "import torch\nimport torch.nn.functional as F\n"
CALL = "\n\ntrain(torch.nn.Linear(3, 3), torch.rand(2, 3), torch.rand(2, 3))\n"

FAILING = [
    (TWICE.format(first="", second="loss"), "freed-graph", "if `loss` requires grad"),
    (TWICE.format(first="", second="(2 * loss)"), "freed-graph", "if `2 * loss` requires grad"),
    (KEPT.format(second="loss"), "freed-graph", "if `loss` requires grad"),
    (SUMMED.format(root="total"), "freed-graph", "if `model(…)` requires grad"),
    (SAVED.format(made="torch.sigmoid(model(x))", change="+= 1"), "stale-saved", "if `model(…)` requires grad"),
    (SAVED.format(made="model(x).sigmoid()", change="*= 2"), "stale-saved", "if `model(…)` requires grad"),
    (SAVED.format(made="F.softmax(model(x), -1)", change="[0] = 0"), "stale-saved", "if `model(…)` requires grad"),
]  # fmt: skip

HARMLESS = [
    TWICE.format(first="retain_graph=True", second="loss"),
    TWICE.format(first="", second="F.mse_loss(model(x), y)"),
    KEPT.format(second="F.mse_loss(self.model(x), y)"),
    SUMMED.format(root="F.mse_loss(model(row), target)"),
    SAVED.format(made="torch.sigmoid(model(x))", change="= p + 1"),
    SAVED.format(made="model(x).sigmoid().detach() * model(x)", change="+= 1"),
]


@pytest.mark.parametrize(("text", "kind", "assumed"), FAILING)
def test_what_a_loss_shows(text: str, kind: str, assumed: str, tmp_path: Path) -> None:
    (found,) = diagnose(replay([parse(HEAD + text, "main.py")], Alone()))
    assert happens(tmp_path, HEAD + text + CALL) == {kind}
    assert found.failure and found.failure.kind == kind
    assert found.severity is Severity.WARNING
    assert found.words.when == assumed


@pytest.mark.parametrize("text", HARMLESS)
def test_nothing_is_told_of_what_runs(text: str, tmp_path: Path) -> None:
    assert not happens(tmp_path, HEAD + text + CALL)
    assert diagnose(replay([parse(HEAD + text, "main.py")], Alone())) == []
