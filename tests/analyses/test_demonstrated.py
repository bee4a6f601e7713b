"""Modules that a program merely calls are told of as if nobody had; one that it trains is left alone."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gradguard.analyses import replay
from gradguard.rules.diagnostic import Severity, diagnose
from gradguard.syntax.chunks import parse

from ..installed import FACTS
from .replaying import Alone

if TYPE_CHECKING:
    from gradguard.syntax.chunks import Source

UNIT = """\
import torch
from torch import nn


class Unit(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.skip = nn.Conv2d(dim, dim, 1)
        self.body = nn.Sequential(nn.ReLU(inplace={inplace}), nn.Conv2d(dim, dim, 1))

    def forward(self, x):
        skip = self.skip(x)
        return self.body(x) + skip
"""

DEMOS = {
    "in_the_main_block": """
        if __name__ == "__main__":
            print(Unit(4)(torch.randn(1, 4, 8, 8)).shape)
        """,
    "on_its_own": "Unit(4)(torch.randn(1, 4, 8, 8))",
    "in_a_test": """
        def test_shape():
            net = Unit(4)
            net.eval()
            assert net(torch.randn(1, 4, 8, 8)).shape == (1, 4, 8, 8)

        test_shape()
        """,
    "under_no_grad": """
        @torch.no_grad()
        def show(net):
            return net.eval()(torch.randn(1, 4, 8, 8)).mean()

        show(Unit(4))
        """,
    "within_another": """
        class Frozen(nn.Module):
            def __init__(self):
                super().__init__()
                self.unit = Unit(4)

            def forward(self, x):
                with torch.no_grad():
                    return self.unit(x)

        Frozen()(torch.randn(1, 4, 8, 8))
        """,
    "before_another_is_trained": """
        Unit(4)(torch.randn(1, 4, 8, 8))
        nn.Linear(2, 2)(torch.randn(3, 2)).sum().backward()
        """,
}


def in_full(inplace: bool, demo: str) -> str:
    return UNIT.format(inplace=inplace) + "\n\n" + dedent(demo).strip() + "\n"


@pytest.mark.parametrize("demo", DEMOS.values(), ids=DEMOS)
def test_a_module_that_is_only_called_is_taken_for_trained(demo: str) -> None:
    text = in_full(True, demo)
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(text, scope)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        scope["Unit"](4)(torch.randn(1, 4, 8, 8).exp()).sum().backward()
    (found,) = diagnose(replay([parse(text, "main.py")], Alone()))
    assert found.severity is Severity.WARNING
    assert "`Unit` is trained" in found.words.when
    assert diagnose(replay([parse(in_full(False, demo), "main.py")], Alone())) == []


class Beside:
    """The modules of a program of two files: the other is `unit`."""

    facts = FACTS

    def __init__(self, unit: Source) -> None:
        self.unit = unit

    def load(self, name: str, level: int, importer: str) -> Source | None:
        return self.unit if name == "unit" else None


def test_a_demo_in_another_file_is_none_the_less_a_demo() -> None:
    unit = parse(UNIT.format(inplace=True), "unit.py")
    demo = parse("import torch\nfrom unit import Unit\nprint(Unit(4)(torch.randn(1, 4, 8, 8)).shape)\n", "demo.py")
    for roots in ([demo, unit], [unit, demo]):
        (found,) = diagnose(replay(roots, Beside(unit)))
        assert found.severity is Severity.WARNING


SQUEEZE = """\
import torch
from torch import nn


class Squeeze(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor):
        y = x.exp()
        y += 1
        return y * self.scale


out = Squeeze()(torch.randn(2, 3))
"""


def test_a_module_that_the_program_trains_is_trained_as_it_says() -> None:
    """Of data, whose exponential is saved for nobody; a caller may well give it what requires grad."""
    exec(SQUEEZE + "out.sum().backward()\n", {})
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(
            SQUEEZE.replace("(torch.randn(2, 3))", "(torch.randn(2, 3).requires_grad_())") + "out.sum().backward()", {}
        )
    assert diagnose(replay([parse(SQUEEZE + "out.sum().backward()\n", "main.py")], Alone())) == []
    (found,) = diagnose(replay([parse(SQUEEZE, "main.py")], Alone()))
    assert found.severity is Severity.WARNING


CALLED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.block = Block(dim, nn.GELU)

    def forward(self, x):
        return self.block(x)


class Block(nn.Module):
    def __init__(self, dim, act=nn.ReLU):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.act = act()

    def forward(self, x):
        y = self.act(self.lin(x))
        y += x
        return y
"""


def test_a_class_that_is_told_alone_is_told_beside_its_caller() -> None:
    scope: dict[str, Any] = {"__name__": "main"}
    exec(CALLED, scope)
    scope["Net"](3)(torch.randn(2, 3)).sum().backward()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        scope["Block"](3)(torch.randn(2, 3)).sum().backward()
    (found,) = diagnose(replay([parse(CALLED, "main.py")], Alone()))
    assert found.severity is Severity.WARNING
    trains = CALLED + "\n\nNet(3)(torch.randn(2, 3)).sum().backward()\n"
    assert diagnose(replay([parse(trains, "main.py")], Alone())) == []


STACK = """\
from torch import nn


class Stack(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return self.fc(x)
"""
NORMED = """\
import torch
from torch import nn
from unit import Stack


class Net(nn.Module):
    def __init__(self, width, normed=True):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.stack = Stack(width)
        if normed:
            nn.utils.weight_norm(self.fc)
        self.fc.weight.data.normal_(0.0, 0.02)

    def forward(self, x):
        return self.stack(self.fc(x))
"""


def test_what_is_made_with_an_option_goes_into_another_file_with_its_condition() -> None:
    unit = parse(STACK, "unit.py")
    assert diagnose(replay([parse(NORMED, "net.py"), unit], Beside(unit))) == []
