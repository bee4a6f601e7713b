"""Forward passes with copies of the weights: their gradients are those that were meant before the update."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .folder import Folder, told
from .proof import different, written
from .real import run

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 1)

    def forward(self, x):
        return self.second(self.first(x).tanh())


x = torch.rand(4, 3)
model = {model}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
kept = model(torch.rand(4, 3))
for _ in range(2):
    optimizer.zero_grad()
    model(x.flip(0)).mean().backward()
    optimizer.step()
kept.sum().backward()
"""

MODELS = {"own": "Net()", "sequence": "nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.BatchNorm1d(3), nn.Linear(3, 1))"}


@pytest.mark.parametrize("model", MODELS)
def test_the_gradients_are_those_of_the_old_weights(model: str, tmp_path: Path) -> None:
    root = tmp_path / "program"
    root.mkdir()
    (root / "main.py").write_text(PROGRAM.format(model=MODELS[model]), "utf-8")
    program = Folder(root)
    report = program.replay()
    assert {failure.cause for failure in told(report)} == {"update"}
    fixes = program.offered(report)
    copying = [fix for fix in fixes if "copies of the weights" in fix.title]
    assert copying and all(fix.safety == "unsafe" for fix in copying)
    meant = run(root, meant=True)
    assert meant.error is None
    for number, fix in enumerate(copying):
        after = run(written(tmp_path / str(number), program, fix))
        assert not list(different(meant, after))
