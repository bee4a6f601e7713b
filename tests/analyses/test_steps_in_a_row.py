"""Modules that keep something from one step to the next: alone in a file they are trained for two steps in a row."""

from __future__ import annotations

from typing import Any

import pytest
from gradguard.analyses import replay
from gradguard.analyses.program.session import Session
from gradguard.rules.diagnostic import Diagnostic, Severity, diagnose
from gradguard.syntax.chunks import parse

from .replaying import Alone

MODULE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.lin = nn.Linear(size, size)
        self.cell = nn.GRUCell(size, size)
        self.register_buffer("mean", torch.zeros(1, size))
        self.state, self.past = None, []

{methods}
"""

FAILS = {
    "a state": """
        def forward(self, x):
            self.state = self.cell(x, torch.zeros(x.shape) if self.state is None else self.state)
            return self.state
    """,
    "a moving average": """
        def forward(self, x):
            y = self.lin(x)
            self.mean = 0.9 * self.mean + 0.1 * y.mean(0, keepdim=True)
            return y - self.mean
    """,
    "a list": """
        def forward(self, x):
            y = self.lin(x).exp()
            self.past.append(y)
            return torch.stack(self.past).mean(0)
    """,
    "a state behind a loop": """
        def forward(self, x):
            state = torch.zeros(x.shape) if self.state is None else self.state
            for _ in range(x.dim()):
                state = self.cell(x, state)
            self.state = state
            return state
    """,
}

WORKS = {
    "it is detached": """
        def forward(self, x):
            y = self.lin(x)
            self.mean = (0.9 * self.mean + 0.1 * y.mean(0, keepdim=True)).detach()
            return y - self.mean
    """,
    "it is kept to be looked at": """
        def forward(self, x):
            self.state = self.lin(x).softmax(-1)
            return self.state * x
    """,
    "it begins anew": """
        def forward(self, x):
            self.past = []
            for _ in range(2):
                self.past.append(self.lin(x).exp())
            return torch.stack(self.past).mean(0)
    """,
}

LEFT = {
    "an option asks for it": """
        def forward(self, x, keep=False):
            y = self.lin(x).exp()
            if keep:
                self.past.append(y)
            return y + sum(self.past)
    """,
    "a method sets it anew": """
        def reset(self):
            self.state = None

        def forward(self, x):
            self.state = self.cell(x, torch.zeros(x.shape) if self.state is None else self.state)
            return self.state
    """,
    "the constructor calls that, too": """
        def __init__(self, size):
            super().__init__()
            self.cell = nn.GRUCell(size, size)
            self.reset()

        def reset(self):
            self.state = None

        def forward(self, x):
            self.state = self.cell(x, torch.zeros(x.shape) if self.state is None else self.state)
            return self.state
    """,
    "a function of the file does": """
        def forward(self, x):
            self.state = self.cell(x, torch.zeros(x.shape) if self.state is None else self.state)
            return self.state


    def train(model, batches):
        for x in batches:
            model(x).sum().backward()
            model.state = model.state.detach()
    """,
}


OTHER = """

def begin(model):
    model.state = None
"""


@pytest.mark.parametrize("name", FAILS)
def test_what_leads_into_the_step_before_is_told(name: str) -> None:
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        train(FAILS[name])
    (found,) = told(FAILS[name])
    assert (found.severity, found.rule.code) == (Severity.WARNING, "GG103")
    assert "`Net` is trained" in found.words.when
    assert found.site.chunk.span(found.site.node).start_line > MODULE[: MODULE.index("{")].count("\n")


@pytest.mark.parametrize("name", WORKS)
def test_one_that_can_be_trained_step_by_step_is_silent(name: str) -> None:
    train(WORKS[name])
    assert told(WORKS[name]) == []


@pytest.mark.parametrize("name", LEFT)
def test_what_others_set_between_two_steps_is_left_to_them(name: str) -> None:
    assert told(LEFT[name]) == []


def test_a_function_that_comes_new_or_changes_takes_it_back() -> None:
    session, source = Session(Alone()), None

    def now(text: str) -> list[str]:
        nonlocal source
        source = parse(text, "main.py", source)
        return [one.rule.code for one in diagnose(session.replay([source]))]

    alone = text(FAILS["a state"])
    assert now(alone) == ["GG103"]
    assert now(alone + OTHER) == []
    assert now(alone + OTHER.replace("model.state", "model.other")) == ["GG103"]
    assert now(alone + OTHER) == []
    assert now(alone) == ["GG103"]


def train(methods: str) -> None:
    scope: dict[str, Any] = {}
    exec(text(methods), scope)
    net, rand = scope["Net"](3), scope["torch"].rand
    for _ in range(2):
        net(rand(2, 3)).sum().backward()


def told(methods: str) -> list[Diagnostic]:
    return diagnose(replay([parse(text(methods), "main.py")], Alone()))


def text(methods: str) -> str:
    return MODULE.format(methods="\n".join(line[4:] for line in methods.splitlines()))
