"""A step that was edited and leaves what it left before: what rests on it is not replayed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gradguard.analyses import replay
from gradguard.analyses.program import effects
from gradguard.analyses.program.session import Session
from gradguard.syntax import ir
from gradguard.syntax.chunks import parse

from ..workspace.editing import differences
from .replaying import Alone

if TYPE_CHECKING:
    from gradguard.analyses.domain.steps import Step

PROGRAM = """\
import torch
from torch import nn

def scaled(by):
    return lambda x: x * by

class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        width = 3
        kinds = {"a": 1, "b": 2}
        self.lin = nn.Linear(3, 3)
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(depth)])
        self.names = ["a", (1, 2.0)]
        self.by_name = {"first": self.lin, "second": torch.zeros(2)}
        self.scale = scaled(width)
        self.twice = self.lin

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.scale(self.lin(x).exp())

net = Net(int(input()))
out = net(torch.ones(2, 3))
out.sum().backward()
"""

SAME = {
    "a local": ('kinds = {"a": 1, "b": 2}', 'kinds = {"a": 3}'),
    "one more local": ("        width = 3\n", "        width = 3\n        depth_of_it = 3\n"),
    "one statement less": ('        kinds = {"a": 1, "b": 2}\n', ""),
    "what is printed": ("        width = 3\n", "        width = 3\n        print('built')\n"),
}

OTHER = {
    "what a closure sees": ("width = 3", "width = 4"),
    "a text in a list": ('["a", (1, 2.0)]', '["b", (1, 2.0)]'),
    "a number in a tuple in a list": ('["a", (1, 2.0)]', '["a", (1, 2)]'),
    "one item more": ('["a", (1, 2.0)]', '["a", (1, 2.0), 3]'),
    "a key": ('"first": self.lin', '"other": self.lin'),
    "how it is computed": ("lambda x: x * by", "lambda x: x + by"),
    "where it is built": ("Net(int(input()))", "Net( int(input()) )"),
    "another object": ("self.twice = self.lin", "self.twice = self.layers"),
    "a size": ("self.lin = nn.Linear(3, 3)", "self.lin = nn.Linear(3, 4)"),
    "the order": (
        "        self.twice = self.lin\n",
        "        self.twice = self.lin\n        self.twice.weight.grad = None\n",
    ),
    "a graph": ("self.twice = self.lin", "self.twice = self.lin.weight.exp()"),
    "what is not there": ("        self.twice = self.lin\n", ""),
    "a change": ("self.twice = self.lin", "self.twice = self.lin; self.by_name['second'] += 1"),
    "the class": ("nn.ModuleList([", "nn.Sequential(*["),
}


def ran(before: str, after: str) -> list[ir.Stmt]:
    """The statements of the program's own code that are replayed again after an edit; the answers must be right."""
    session = Session(Alone())
    source = parse(before, "main.py")
    session.replay([source])
    source = parse(after, "main.py", source)
    report = session.replay([source])
    assert session.m.files.noting
    assert differences(report, replay([source], Alone())) == []
    return [step.key for step in session.ran if isinstance(step.key, ir.Stmt)]


@pytest.mark.parametrize("name", SAME)
def test_what_leaves_the_same_ends_there(name: str) -> None:
    edit = SAME[name]
    assert edit[0] in PROGRAM
    (only,) = ran(PROGRAM, PROGRAM.replace(*edit))
    assert isinstance(only, ir.Assign), "the object is built anew, and nothing else"


@pytest.mark.parametrize(("last", "asked"), [("", 0), ("print(net.names)\n", 0), ("out = net(torch.ones(2, 3))\n", 1)])
def test_it_is_only_asked_where_much_rests_on_it(last: str, asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """To compare all that a step has left takes about a quarter of its time."""
    asking: list[Step] = []
    monkeypatch.setattr(effects, "alike", lambda old, was, new, *rest: asking.append(new))
    text = PROGRAM.partition("out = ")[0] + last
    ran(text, text.replace(*SAME["a local"]))
    assert len(asking) == asked


@pytest.mark.parametrize("name", OTHER)
def test_what_leaves_something_else_goes_on(name: str) -> None:
    edit = OTHER[name]
    assert edit[0] in PROGRAM
    assert len(ran(PROGRAM, PROGRAM.replace(*edit))) > 1


UNSEEN = """\
import torch
from torch import nn
from unseen import find, layers

class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        width = 3
        self.lin = nn.Linear(3, 3)
        self.found = find(self.lin, depth)
        self.kind = 1 if find(depth) else 2
        if find(self.kind) and self.lin.forward != self.found:
            self.layers = nn.ModuleList(layers(depth))
        if find(self.kind) == self.kind:
            self.twice = self.lin

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.found(self.lin(x).exp())

net = Net(int(input()))
out = net(torch.ones(2, 3))
out.sum().backward()
"""


def test_what_unseen_calls_are_asked_counts_alike() -> None:
    (only,) = ran(UNSEEN, UNSEEN.replace("width = 3", "width = 4"))
    assert isinstance(only, ir.Assign), "the object is built anew, and nothing else"


LINKED = """\
import torch
from unseen import layers

def train(x):
    width = 3
    for layer in layers:
        x = layer(x) + layer(x * x)
    x.sum().backward()
    return x

y = train(torch.ones(3, requires_grad=True))
"""


def test_what_a_backward_shows_of_unseen_calls_counts_alike() -> None:
    """Each call of a layer that nobody has seen may pass the gradient on; they are asked in the order of the calls."""
    text = LINKED + "".join(f"z{n} = y * {n}\n" for n in range(60))
    for width in range(4, 12):
        (only,) = ran(text, text.replace("width = 3", f"width = {width}"))
        assert isinstance(only, ir.Assign)
