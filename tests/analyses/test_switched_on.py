"""What an option switches on that is None or False by default is replayed, too, and told with that option."""

from __future__ import annotations

from textwrap import dedent
from typing import Any, NamedTuple

import pytest
import torch
from gradguard.analyses import replay
from gradguard.rules.diagnostic import Severity, diagnose
from gradguard.syntax.chunks import parse

from .refused import told_of_refused, told_of_working
from .replaying import Alone


class Optional(NamedTuple):
    """A program, how it is called so that it fails, and what the message names; `WRITE` is what fails, or works."""

    text: str
    called: str
    named: str


PROGRAMS = {
    "constructor": Optional(
        """
        import torch
        from torch import nn

        class Block(nn.Module):
            def __init__(self, width, rate=None):
                super().__init__()
                self.lin = nn.Linear(width, width)
                self.drop = nn.Dropout(rate) if rate is not None else None

            def forward(self, x):
                out = self.lin(x).relu()
                if self.drop is not None:
                    kept = self.drop(out)
                    WRITE
                    out = kept
                return out
        """,
        "Block(3, 0.5)(torch.randn(2, 3))",
        "`Block(rate=…)` is trained",
    ),
    "forward": Optional(
        """
        import torch
        from torch import nn

        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.lin = nn.Linear(width, width)

            def forward(self, x, halved=False):
                out = self.lin(x).sigmoid()
                kept = out * 2
                if halved:
                    WRITE
                return kept + out
        """,
        "Block(3)(torch.randn(2, 3), halved=True)",
        "`halved` is true (line 10) and `Block` is trained",
    ),
    "hook": Optional(
        """
        import torch
        from torch import nn

        class Block(nn.Module):
            def __init__(self, width, hooked: bool = False):
                super().__init__()
                self.act = nn.Sigmoid()
                self.lin = nn.Linear(width, width)
                if hooked:
                    self.act.register_forward_hook(self.scaled)

            def scaled(self, module, args, out):
                WRITE

            def forward(self, x):
                return self.act(self.lin(x))
        """,
        "Block(3, True)(torch.randn(2, 3))",
        "`hooked` is true (line 6)",
    ),
    "added to a sequence": Optional(
        """
        import torch
        from torch import nn

        class Block(nn.Module):
            def __init__(self, width, last: str, pooled: bool):
                super().__init__()
                self.parts = nn.Sequential()
                if pooled:
                    self.parts.add_module("lin", nn.Linear(width, width))
                    self.parts.add_module("pool", nn.AvgPool1d(1))
                else:
                    self.parts.add_module("lin", nn.Linear(width, width))
                    self.parts.add_module(f"act{last}", nn.Sigmoid())

            def forward(self, x):
                out = self.parts(x)
                WRITE
                return out
        """,
        "Block(3, '0', pooled=False)(torch.randn(2, 3))",
        "`pooled` is false (line 6)",
    ),
    "a list where the default is a number": Optional(
        """
        import torch
        from torch import nn

        class Head(nn.Module):
            def __init__(self, width, index=-1, act={"type": "sigmoid"}):
                super().__init__()
                assert isinstance(index, (list, tuple))
                self.lin = nn.Linear(width, width)
                self.act = nn.Sigmoid() if act["type"] == "sigmoid" else nn.Identity()

        class Block(Head):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)

            def forward(self, x):
                out = self.act(self.lin(x))
                WRITE
                return out
        """,
        "Block(width=3, index=[0])(torch.randn(2, 3))",
        "`Block` is trained",
    ),
    "loss_of_a_class": Optional(
        """
        import torch
        from torch import nn

        def weighted_loss(out, target, alpha=None):
            loss = (out - target) ** 2
            if alpha is not None:
                out, kept = out.exp(), loss
                loss = alpha * out * loss
                WRITE
            return loss.mean()

        class Loss(nn.Module):
            def forward(self, out, target):
                return weighted_loss(out, target)
        """,
        "weighted_loss(torch.randn(3, requires_grad=True), torch.randn(3), 0.5)",
        "`alpha is not None` is true",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_fails_with_an_option_is_told(name: str) -> None:
    program = PROGRAMS[name]
    text = dedent(program.text).replace("WRITE", "out *= 0.5")
    found = told_of_refused(text, program.called)
    assert found.severity is Severity.WARNING
    assert program.named in found.words.when


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_works_with_it_is_silent(name: str) -> None:
    program = PROGRAMS[name]
    text = dedent(program.text).replace("WRITE", "out = out * 0.5")
    assert told_of_working(text, program.called) == []


APART = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, last: bool = False):
        super().__init__()
        self.lin = nn.Linear(width, width)
        self.proj = nn.Linear(width, width) if last else None

    def forward(self, x, other=None):
        x = x + self.lin(x)
        if other is not None:
            {first}
            x += other
        if self.proj is not None:
            {second}
            hidden = self.proj(x)
            {between}
            return hidden
        return x
"""

REFUSED = {
    "asserted in the first": ("assert self.proj is None", "pass"),
    "asserted in the second": ("pass", "assert other is None"),
    "raised in the first": ("if self.proj is not None: raise ValueError", "pass"),
    "raised in the second": ("pass", "if other is not None: raise ValueError"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_options_that_the_program_refuses_together_fail_nowhere(name: str) -> None:
    first, second = REFUSED[name]
    text = APART.format(first=first, second=second, between="pass")
    scope: dict[str, Any] = {}
    exec(text, scope)
    with pytest.raises((AssertionError, ValueError)):
        exec("Block(3, last=True)(torch.randn(2, 3), torch.randn(2, 3))", scope)
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_fails_with_one_of_them_is_told(name: str) -> None:
    first, second = REFUSED[name]
    text = APART.format(first=first, second=second, between="x *= 2")
    found = told_of_refused(text, "Block(3, last=True)(torch.randn(2, 3))")
    assert found.severity is Severity.WARNING


SHORTENED = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, grow: bool = True):
        super().__init__()
        parts = []
        if grow:
            parts.append(nn.ReLU(inplace=True))
            parts.append(nn.Linear(3, 3))
        parts.append(nn.ReLU(inplace={inplace}))
        parts.append(nn.Linear(3, 3))
        {changed}
        self.lin, self.parts = nn.Linear(3, 3), nn.Sequential(*parts)

    def forward(self, x):
        return self.parts(self.lin(x).exp())
"""


@pytest.mark.parametrize("changed", ["parts[0] = nn.ReLU()", "parts = parts[1:]", "del parts[0]"])
def test_the_first_of_a_list_is_another_where_a_branch_has_added_none(changed: str) -> None:
    for inplace in (True, False):
        text = SHORTENED.format(inplace=inplace, changed=changed)
        scope: dict[str, Any] = {}
        exec(text, scope)
        for grow in (True, False):
            scope["Block"](grow)(torch.randn(2, 3)).sum().backward()
        assert diagnose(replay([parse(text, "main.py")], Alone())) == []


def test_the_last_of_a_sequence_is_another_where_a_branch_has_added_none() -> None:
    text = SHORTENED.format(inplace=False, changed="parts = nn.Sequential(*parts)[1 - len(parts):]")
    text = text.replace("parts.append(nn.ReLU(inplace=True))", "parts.append(nn.Linear(3, 3))")
    assert diagnose(replay([parse(text, "main.py")], Alone())) == []
    text = text.replace("nn.ReLU(inplace=False)", "nn.ReLU(inplace=True)").replace("1 - len(parts):", "-2:")
    found = told_of_refused(text, "Block(grow=False)(torch.randn(2, 3))")
    assert found.severity is Severity.WARNING
