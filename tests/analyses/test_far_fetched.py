"""What nobody would take for granted is not told, not as a hint either; its twin that does fail is."""

from __future__ import annotations

from contextlib import suppress
from textwrap import dedent
from typing import Any

import pytest
import torch
from gradguard.analyses import replay
from gradguard.rules.diagnostic import Severity, diagnose
from gradguard.syntax.chunks import parse

from .replaying import Alone

RETURNS = """
    import torch

    class Agent:
        def __init__(self, model, gamma, steps):
            self.model = model
            self.gamma = GAMMA
            self.steps = steps

        def update(self, states, rewards):
            returns = torch.zeros(self.steps + 1)
            for i in reversed(range(self.steps)):
                returns[i] = rewards[i] + self.gamma * returns[i + 1]
            loss = ((returns[:-1] - self.model(states)) ** 2).mean()
            loss.backward()
    """
NORMED = """
    import torch

    class Normed(torch.optim.Optimizer):
        def __init__(self, params, lr=0.1):
            super().__init__(params, dict(lr=lr))

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.data.sub_(USED, alpha=group["lr"])

        @staticmethod
        def direction(grad):
            norm = grad.norm()
            norm.add_(1e-8)
            return grad / norm
    """
UPDATE = """
    import torch
    from torch import nn

    def update(model: nn.Module, optim: torch.optim.Optimizer, batch: torch.Tensor):
        optim.zero_grad()
        loss = (model(batch) - batch).pow(2).mean()
        loss.backward()
        TWICE
        optim.step()
        return loss
    """
ALIAS = """
    import torch

    w = torch.randn(3, requires_grad=True)
    y = w.exp()
    y.data.CHANGED
    y.sum().backward()
    gradient_is_right = torch.equal(w.grad, w.detach().exp())
    """

KEYED = """
    import torch

    def fill(batch, value):
        for row in batch.unbind(1):
            row[KEY] = value
        return batch
    """

PAIRS = {
    "a_discount": (RETURNS, "GAMMA", "gamma", "torch.nn.Parameter(torch.tensor(gamma))"),
    "a_helper_under_no_grad": (NORMED, "USED", "self.direction(p.grad)", "p.grad"),
    "a_second_backward_by_the_caller": (UPDATE, "TWICE", "", "loss.backward()"),
    "a_row_with_keys": (KEYED, "KEY", '"tokens", "prompt"', "0, 1"),
    "memory_that_an_alias_is_given": (ALIAS, "CHANGED", "set_(torch.zeros(3))", "zero_()"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_far_fetched_failure_is_not_told(name: str) -> None:
    text, part, far_fetched, fails = PAIRS[name]
    silent, told = (dedent(text).replace(part, one) for one in (far_fetched, fails))
    assert diagnose(replay([parse(silent, "main.py")], Alone())) == []
    assert diagnose(replay([parse(told, "main.py")], Alone())) != []


def test_an_alias_that_is_given_other_memory_leaves_what_was_saved_as_it_was() -> None:
    for changed, right in (("set_(torch.zeros(3))", True), ("set_()", True), ("zero_()", False)):
        scope: dict[str, bool] = {}
        exec(dedent(ALIAS).replace("CHANGED", changed), scope)
        assert scope["gradient_is_right"] is right


def test_a_discount_that_is_learned_requires_grad() -> None:
    agent = "Agent(torch.nn.Linear(1, 1), 0.9, 2).update(torch.rand(2, 1), torch.rand(2))"
    exec(dedent(RETURNS).replace("GAMMA", "gamma") + agent, {})
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(dedent(RETURNS).replace("GAMMA", "torch.nn.Parameter(torch.tensor(gamma))") + agent, {})


CHOSEN = """\
import torch


class Net(torch.nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.mode = mode
        self.lin = torch.nn.Linear(3, 3)

    def forward(self, x):
        y = self.lin(x)
        y = y.exp() if self.mode {first} else y * 2
        if self.mode {asked}:
            y.mul_(2)
        return y
"""


APART = [
    ("== 'exp'", "== 'doubled'"),
    ("== 'exp'", "is None"),
    ("== 'exp'", "== 1"),
    ("is None", "== 1"),
    ("== 1", "> 3"),
    ("== 5", "< 3"),
    ("is None", ""),
]


@pytest.mark.parametrize(("first", "asked"), APART)
def test_one_thing_does_not_equal_two(first: str, asked: str) -> None:
    text = CHOSEN.format(first=first, asked=asked)
    scope: dict[str, Any] = {}
    exec(text, scope)
    for mode in ("exp", "doubled", None, 1, 5):
        with suppress(TypeError):  # a text is compared with a number
            scope["Net"](mode)(torch.randn(2, 3)).sum().backward()
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []


TOGETHER = [
    ("== 'exp'", "!= 'doubled'", "exp"),
    ("== 'exp'", "is not None", "exp"),
    ("== 5", "> 3", 5),
    ("== 5", "", 5),
]


@pytest.mark.parametrize(("first", "asked", "mode"), TOGETHER)
def test_it_is_told_where_it_may(first: str, asked: str, mode: object) -> None:
    text = CHOSEN.format(first=first, asked=asked)
    scope: dict[str, Any] = {}
    exec(text, scope)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        scope["Net"](mode)(torch.randn(2, 3)).sum().backward()
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.WARNING
    assert found.words.when.count("self.mode") == 1


DECODED = """
import torch
from torch import nn

class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, OPTION: bool):
        out = self.fc(x).sigmoid()
        if WHEN:
            out *= 2
        return out
"""


@pytest.mark.parametrize(
    ("option", "when"),
    [
        ("train_mode", "not train_mode"),
        ("is_training", "is_training is False"),
        ("test", "test"),
        ("inference_mode", "inference_mode"),
    ],
)
def test_what_an_option_says_that_nothing_is_trained_by_is_a_hint(option: str, when: str) -> None:
    told = [
        diagnose(replay([parse(DECODED.replace("OPTION", name).replace("WHEN", asked), "main.py")], Alone()))
        for name, asked in ((option, when), ("scaled", when.replace(option, "scaled")))
    ]
    assert [one.severity for some in told for one in some] == [Severity.HINT, Severity.WARNING]


NOT_TRAINED = {
    "a result": (
        """
        import torch

        def NAME(logits: torch.Tensor):
            scores = logits.sigmoid()
            scores[scores < 0.5] = 0
            return scores
        """,
        "post_process",
        "gate",
    ),
    "a setting": (
        """
        import torch

        class Rope(torch.nn.Module):
            def __init__(self, base, config):
                super().__init__()
                self.base, self.config = base, config

            def forward(self, x):
                table = torch.exp(NAME)
                table += 1
                return table * x
        """,
        "self.config.base",
        "self.base",
    ),
    "integers": (
        """
        import torch

        def offset(NAME: torch.Tensor):
            y = NAME.exp()
            y += NAME[0]
            return y
        """,
        "edge_index",
        "edge_weight",
    ),
    "a size": (
        """
        import torch

        class Positions(torch.nn.Module):
            def __init__(self, NAME):
                super().__init__()
                self.register_buffer("table", torch.arange(0, 8, 2.0).div_(NAME))

            def forward(self, x):
                y = self.table.exp()
                y += 1
                return x + y
        """,
        "head_dim",
        "scale",
    ),
    "what is beside the argument of a function in place": (
        """
        import torch

        def NAME(p: torch.Tensor):
            norm = p.square()
            p.mul_(2)
            return norm
        """,
        "shrink_",
        "shrink",
    ),
}


def test_the_argument_of_a_function_in_place_may_be_trained() -> None:
    text = "def squash_(x):\n    return x.sigmoid_().clamp_(0, 1)\n"
    assert len(diagnose(replay([parse(text, "main.py")], Alone()))) == 1


@pytest.mark.parametrize("name", NOT_TRAINED)
def test_what_nobody_trains_is_not_told_by_its_name(name: str) -> None:
    text, far_fetched, trained = NOT_TRAINED[name]
    assert diagnose(replay([parse(dedent(text).replace("NAME", far_fetched), "main.py")], Alone())) == []
    assert len(diagnose(replay([parse(dedent(text).replace("NAME", trained), "main.py")], Alone()))) == 1


LEFT_OUT = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size, norm{norm}, drop{drop}, last{drop}):
        super().__init__()
        parts = [nn.Linear(size, size)]
        if norm is not None:
            parts.append(getattr(nn, norm)(size))
        parts.append(nn.ReLU())
        if drop:
            parts.append(nn.Dropout(drop))
        if last:
            parts.append(nn.Softplus(last))
        self.parts = nn.Sequential(*parts)

    def forward(self, x):
        return self.parts(x)


class Net(nn.Module):
    def __init__(self, size, norm, drop, last):
        super().__init__()
        self.block = Block(size, norm, drop, last)

    def forward(self, x):
        y = self.block(x)
        y += x
        return y
"""


@pytest.mark.parametrize(
    ("norm", "drop", "severity"),
    [("=None", "=0", Severity.WARNING), ("", "", Severity.HINT), ("='LayerNorm'", "=0.1", Severity.HINT)],
)
def test_what_a_parameter_is_where_it_is_left_out_costs_nothing(norm: str, drop: str, severity: Severity) -> None:
    (found,) = diagnose(replay([parse(LEFT_OUT.format(norm=norm, drop=drop), "main.py")], Alone()))
    assert found.severity is severity
