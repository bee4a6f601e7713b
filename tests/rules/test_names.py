"""Findings name tensors, calls and conditions as the program does."""

from __future__ import annotations

import pytest
from gradguard.rules import phrases
from gradguard.rules.rule import Severity

from .test_examples_found import found

STEPS = """\
import copy
import torch
from torch import nn

{made}
opt_d = torch.optim.SGD([p for m in [{module}] for p in m.parameters()], 0.1)
score = {called}
first, second = score.mean(), score.square().mean()
first.backward(retain_graph=True)
opt_d.step()
second.backward()
"""
LINEAR = "nn.Linear(3, 3)"
X = "torch.ones(2, 3)"


@pytest.mark.parametrize(
    ("made", "module", "called", "name"),
    [
        (f"D = nn.Sequential({LINEAR}, nn.Tanh(), {LINEAR})", "D", f"D({X})", "D[2].weight"),
        (f"D = nn.ModuleDict({{'real': {LINEAR}, 'fake': {LINEAR}}})", "D", f"D['fake'](D['real']({X}))",
         'D["fake"].weight'),
        (f"D = nn.Sequential({LINEAR}, nn.Sequential(nn.Tanh(), {LINEAR}))", "D", f"D({X})", "D[1][1].weight"),
        (f"N = nn.Sequential({LINEAR}, {LINEAR})\nD = copy.deepcopy(N)", "D", f"D({X})", "D[1].weight"),
        (f"a, b = {LINEAR}, {LINEAR}\nD = nn.Sequential(a, b)", "D", f"D({X})", "b.weight"),
    ],
)  # fmt: skip
def test_weights_and_steps_are_named_as_the_program_has_them(made: str, module: str, called: str, name: str) -> None:
    (diagnostic,) = found(STEPS.format(made=made, module=module, called=called))
    assert f"it needs `{name}`, which" in diagnostic.words.headline
    assert diagnostic.words.label.startswith(f"changes `{name}`: version ")
    assert "`opt_d.step()` makes it version " in diagnostic.message


GAN = """\
import torch
from torch import nn

class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
        self.gain = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.net(x) * self.gain

class Trainer:
    def __init__(self):
        self.critic = Critic()
        self.optimizer = torch.optim.SGD({trained}, 0.1)
{step}
trainer = Trainer()
{called}
"""
INSIDE = (
    """
    def step(self, x):
        score = self.critic(x)
        score.mean().backward(retain_graph=True)
        self.optimizer.step()
        score.sum().backward()
""",
    "trainer.step(torch.ones(2, 3))",
)
OUTSIDE = (
    "",
    """
score = trainer.critic(torch.ones(2, 3))
score.mean().backward(retain_graph=True)
trainer.optimizer.step()
score.sum().backward()
""",
)


@pytest.mark.parametrize(
    ("trained", "used", "name"),
    [
        ("self.critic.net.parameters()", INSIDE, "self.critic.net[2].weight"),
        ("self.critic.net.parameters()", OUTSIDE, "trainer.critic.net[2].weight"),
        ("[self.critic.gain]", INSIDE, "self.critic.gain"),
        ("[self.critic.gain]", OUTSIDE, "trainer.critic.gain"),
    ],
)
def test_weights_are_named_as_seen_from_where_they_are_changed(trained: str, used: tuple[str, str], name: str) -> None:
    step, called = used
    (diagnostic,) = found(GAN.format(trained=trained, step=step, called=called))
    assert diagnostic.words.label.startswith(f"changes `{name}`: version ")
    assert name[-15:] in diagnostic.words.headline
    assert "same memory" not in diagnostic.message
    saved = name.replace("trainer.critic", "self").replace("self.critic", "self")
    assert f"saves `{saved}` for" in diagnostic.related[0].message
    assert diagnostic.related[-1].message.startswith(f"needs `{name}` at version ")


CARRIED = """\
import functools
import torch
from torch import nn

w = torch.ones(3, requires_grad=True)
lstm = nn.LSTM(3, 3)

class Basis:
    @functools.cached_property
    def rows(self):
        return w.exp()

@functools.lru_cache
def basis():
    return w.exp()

class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = None

    def forward(self, x):
        _, self.hidden = lstm(x, self.hidden)
        return self.hidden[0]

class Buffer:
    def __init__(self):
        self.rows = []

    def push(self, row):
        self.rows.append(row)

memory, one, state, log, penalty = Memory(), Basis(), None, torch.zeros(3), torch.zeros(())
buffer, seen, best = Buffer(), dict(), list()
for step in range(3):
    {body}
    loss.backward()
"""


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("y, state = lstm(torch.ones(1, 1, 3), state); loss = y.sum()", "state"),
        ("loss = memory(torch.ones(1, 1, 3)).sum()", "memory.hidden"),
        ("log[step] = (w * w).sum(); loss = (log * w).sum()", "log"),
        ("penalty += (w * w).sum(); loss = penalty.exp()", "penalty"),
        ("loss = (one.rows * w).sum()", "one.rows"),
        ("loss = (basis() * w).sum()", "basis()"),
        ("z = w.exp(); buffer.push(z); loss = torch.stack(buffer.rows).sum()", "buffer.rows"),
        ("z = w.exp(); seen[step] = (z, step); loss = sum(one.sum() for one, _ in seen.values())", "seen"),
        ("best.append(w.exp()); loss = sum(row.sum() for row in best)", "best"),
    ],
)
def test_what_carries_a_graph_has_a_name(body: str, name: str) -> None:
    (diagnostic,) = (one for one in found(CARRIED.format(body=body)) if one.severity is Severity.ERROR)
    assert diagnostic.rule.code == "GG103"
    assert diagnostic.words.headline.endswith(f"backward()` will raise: `{name}` carries an earlier iteration's graph")


def test_conditions_are_told_in_the_words_of_the_program() -> None:
    (diagnostic,) = found("""\
import torch

class Gate(torch.nn.Module):
    def forward(self, x, pick):
        rows = [torch.zeros(3), torch.ones(3)]
        row = rows[pick] * torch.sigmoid(x)
        y = torch.sigmoid(x)
        y += row
        return y
""")
    assert diagnostic.words.when == "if `x` requires grad and `Gate` is trained"
    assert [one.message for one in diagnostic.related][-1] == "its caller runs backward through what it returns"


NESTED = """\
import torch
from torch import nn
from types import SimpleNamespace

cell = nn.LSTMCell(3, 6)
engine = SimpleNamespace(state=SimpleNamespace(hidden=(torch.zeros(2, 6), torch.zeros(2, 6))))
for _ in range(2):
    engine.state.hidden = cell(torch.ones(2, 3), engine.state.hidden)
    engine.state.hidden[0].sum().backward()
"""


def test_state_is_named_by_the_objects_that_lead_to_it() -> None:
    (one,) = found(NESTED)
    assert "`engine.state.hidden` (line 8) leads to" in one.message


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("self.hidden", "self.hidden"),
        ("self.discriminator.layers[2].weight", "….layers[2].weight"),
        ("self.model(x, engine.state.hidden)", "self.model(…)"),
        ("self.encoder(x.flatten(1)).view(len(batch), -1)", "….view(…)"),
        ("discriminator_of_the_generator", "…inator_of_the_generator"),
        ("weights_by_name['encoder.layers']", "…['encoder.layers']"),
        ("closed) by nothing that is named here)", "…ing that is named here)"),
    ],
)
def test_a_long_name_is_shortened_to_its_end(name: str, short: str) -> None:
    assert phrases.names(name, "en")[1] == f"`{short}`"
