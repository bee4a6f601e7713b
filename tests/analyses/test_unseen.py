"""What is not seen: calls that are given a graph, and bases of classes that are written as modules are.

Each program runs on PyTorch with a `library.py` beside it, which the replay is not shown.
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

LIBRARY = """
from collections import namedtuple

import torch
from torch import nn

Output = namedtuple("Output", "logits hidden")


class Base(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(width))


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return Output(self.fc(x), x)


def criterion(x, y):
    return (x - y).square().mean()


def normalize(x):
    return x / 2


def cut(x):
    return x.detach()


def load(n):
    return torch.rand(n)


def affine(weight, bias):
    return lambda x: weight @ x + bias


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x)
"""

START = """import torch
from library import Base, Head, criterion, cut, normalize
from torch import nn

encoder = nn.Linear(3, 3)
x, y = torch.rand(2, 3), torch.rand(2, 3)
"""

CHANGED = """z = torch.sigmoid(encoder(x))
z *= 2
"""

LINKED = [
    CHANGED + "criterion(z, y).backward()\n",
    CHANGED + "loss = criterion(normalize(z), y)\nloss.backward()\n",
    CHANGED + "out = Head(3)(z)\nloss = ((out.logits - y) ** 2).mean()\nloss.backward()\n",
    CHANGED + "out = Head(3)(z)\nnn.functional.mse_loss(out[0], y).backward()\n",
    CHANGED + "torch.stack([criterion(z, y), criterion(z, x)]).sum().backward()\n",
    CHANGED + "nn.Linear(3, 3)(normalize(z)).sum().backward()\n",
    CHANGED + "(nn.Linear(3, 3)(normalize(z)) + nn.Linear(3, 3)(x)).sum().backward()\n",
    CHANGED
    + "import os\nz = normalize(z) if os.getenv('A') else Head(3)(z).logits\nnn.Linear(3, 3)(z).sum().backward()\n",
    "z = torch.sigmoid(Head(3)(x).logits)\nz[0] = 0\ncriterion(z, y).backward()\n",
    "z = encoder(x).exp()\nfor _ in range(2):\n    loss = criterion(z, y)\n    loss.backward()\n",
]
"""The program's own backward shows that what was called has passed gradients on: what it goes through has no other
gradient, or parameters get theirs in no other way."""

DOUBTFUL = [
    CHANGED + "(criterion(cut(z), y) + encoder.weight.sum()).backward()\n",
    CHANGED + "(nn.functional.mse_loss(encoder(x), y) + criterion(cut(z), y)).backward()\n",
    CHANGED + "(nn.Linear(3, 3)(cut(z)) * encoder(x)).sum().backward()\n",
    "h = x\nfor _ in range(2):\n    h = cut(encoder(h).exp())\n    criterion(encoder(h), y).backward()\n",
]
"""The parameters get gradients in other ways, so nothing shows that these calls pass gradients on: they don't."""

NET = """
class Net(Base):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        z = torch.sigmoid(self.fc(x))
        {}
        return z + self.shift
"""

FORWARD = NET.format("z += 1")
LAYERS = FORWARD.replace("forward", "encode")
TRAINED = "Net()(x).sum().backward()\n"


def told(text: str) -> list[tuple[str, Severity]]:
    found = diagnose(replay([parse(text, "main.py")], Alone()))
    return [(one.failure.kind, one.severity) for one in found if one.failure]


def fails(folder: Path, text: str) -> set[str]:
    (folder / "library.py").write_text(LIBRARY)
    return happens(folder, text)


@pytest.mark.parametrize("program", LINKED)
def test_a_call_that_passes_gradients_on(program: str, tmp_path: Path) -> None:
    (kind,) = fails(tmp_path, START + program)
    assert told(START + program) == [(kind, Severity.WARNING)]


@pytest.mark.parametrize("program", DOUBTFUL)
def test_a_call_that_may_pass_none_on(program: str, tmp_path: Path) -> None:
    assert not fails(tmp_path, START + program)
    assert all(severity is Severity.HINT for _, severity in told(START + program))


@pytest.mark.parametrize("program", [FORWARD + TRAINED, LAYERS + "Net().encode(x).sum().backward()\n"])
def test_a_class_that_is_written_as_a_module(program: str, tmp_path: Path) -> None:
    assert fails(tmp_path, START + program) == {"stale-saved"}
    assert told(START + program) == [("stale-saved", Severity.WARNING)]


def test_a_module_with_an_unseen_base_is_trained() -> None:
    assert told(START + FORWARD) == [("stale-saved", Severity.WARNING)]


def test_an_unseen_base_keeps_what_is_not_seen(tmp_path: Path) -> None:
    program = START + NET.format("z = z + 1") + "net = Net()\n" + TRAINED + "assert net.shift.grad is None\n"
    assert not fails(tmp_path, program)
    assert told(program) == []


def test_the_message_names_what_it_rests_on() -> None:
    linked, module = (
        diagnose(replay([parse(START + text, "main.py")], Alone())) for text in (LINKED[0], FORWARD + TRAINED)
    )
    assert "If `criterion(z, y)` passes gradients on, " in linked[0].message
    assert "If `Base` is an `nn.Module`, " in module[0].message


MADE = """import torch
from library import affine
from torch import nn

layer = nn.Linear(3, 3)
model = affine(layer.weight, layer.bias)
for _ in range(2):
    loss = (model(torch.ones(3)) - 1).square().mean()
    loss.backward()
"""


def test_a_model_that_an_unseen_call_has_made_is_trained_in_a_loop(tmp_path: Path) -> None:
    assert not fails(tmp_path, MADE)
    assert told(MADE) == []


STEP = """import torch


class Greatest(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {})

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad.data
                state = self.state[p]
                if not state:
                    state["mean"], state["greatest"] = torch.zeros([]), torch.zeros([])
                mean, greatest = state["mean"], state["greatest"]
                mean.mul_(0.9).add_(torch.sum(torch.pow(grad, 2)), alpha=0.1)
                torch.max(greatest, mean, out=greatest)
"""


def test_the_data_of_a_gradient_does_not_require_grad(tmp_path: Path) -> None:
    trained = "net = torch.nn.Linear(3, 3)\nnet(torch.ones(3)).sum().backward()\nGreatest(net.parameters()).step()\n"
    assert not fails(tmp_path, STEP + trained)
    assert told(STEP) == []


PREPARED = [
    "x = torch.log(load(3))\n",
    "x = torch.ones(3) * load(3)\n",
    "x = torch.exp(torch.ones(3) * (load(3) > 0.5))\n",
    "x = torch.exp(load(3) / ((load(3) > 0).sum() + 1))\n",
    "with torch.no_grad():\n    x = torch.stack([load(3)])\nx = x - x.mean()\n",
]
LOOP = """import torch
from library import Net, criterion, load

{}y = torch.sqrt(load(3))
model = Net()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(2):
    loss = {}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("loss", ["model(x).sum()", "criterion(model(x), y)"])
@pytest.mark.parametrize("data", PREPARED)
def test_data_of_an_unseen_loader_is_prepared_once(data: str, loss: str, tmp_path: Path) -> None:
    program = LOOP.format(data, loss)
    assert fails(tmp_path, program) == set()
    assert {severity for _, severity in told(program)} <= {Severity.HINT}
