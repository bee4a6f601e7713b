"""An edit that is taken back: what was entered before it stands again, if it would still do the same."""

from __future__ import annotations

import pytest
from gradguard.analyses import replay
from gradguard.analyses.program import past
from gradguard.analyses.program.session import CLOSING, Session
from gradguard.syntax import ir
from gradguard.syntax.chunks import parse

from ..workspace.editing import differences
from .replaying import Alone

PROGRAM = """\
import math
import torch
from torch import nn

SCALE = 2
KINDS = ["a"]

def bound_to(often):
    def change(y):
        return y.add_(1) if often else y
    return change

change = bound_to(3)

def closed(x):
    return change(x.exp())

def scaled(x):
    y = x.exp()
    y *= SCALE
    return y

def rooted(x, by=1):
    return math.sqrt(by) * scaled(x)

class Base(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width)
        self.depth = 3

    def forward(self, x):
        return self.finish(scaled(self.lin(x)))

    def finish(self, x):
        return x * len(KINDS)

class Net(Base):
    def __init__(self):
        super().__init__(3)

    def reset(self):
        self.lin.weight.data.zero_()
"""

EDITS = {
    "a body": ("y = x.exp()", "y = x + 1"),
    "a constructor": ("self.depth = 3", "self.depth = 4; self.act = nn.ReLU()"),
    "a head": ("def rooted(x, by=1)", "def rooted(x, by=1, a=2)"),
    "the head of a method": ("def finish(self, x)", "def finish(self, x, a=2)"),
    "a method": ("    def finish(self, x):\n        return x * len(KINDS)\n", ""),
    "a method more": ("    def reset", "    def finish(self, x):\n        return x.exp().add_(1)\n\n    def reset"),
    "an import": ("import math\n", ""),
    "torch": ("import torch\n", ""),
    "a name": ("SCALE = 2", "SCALE = 3"),
    "a function": ("def scaled", "def scale"),
    "a bracket": ("self.finish(scaled(self.lin(x)))", "self.finish(scaled(self.lin(x))"),
    "a quote": ("class Base", '"""\nclass Base'),
}


EVERY = {**EDITS, "a closure": ("bound_to(3)", "bound_to(0)")}
"""with one that makes a function anew, which may close over something else"""


def ran(texts: list[str]) -> list[list[object]]:
    """What is entered again as a program comes to be each of the texts; the answers must be right."""
    session = Session(Alone())
    source, entered = None, []
    for text in texts:
        source = parse(text, "main.py", source)
        report = session.replay([source])
        assert source.problems or differences(report, replay([parse(text, "main.py")], Alone())) == []
        entered.append([step.key for step in session.ran if isinstance(step.key, (str, tuple))])
    return entered


def edited(name: str) -> str:
    assert PROGRAM.count(EVERY[name][0]) == 1
    return PROGRAM.replace(*EVERY[name])


@pytest.mark.parametrize("name", EDITS)
def test_what_is_taken_back_costs_nothing_anew(name: str) -> None:
    first, away, *rest = ran([PROGRAM, edited(name), PROGRAM, edited(name), PROGRAM])
    assert first
    assert away or parse(edited(name)).problems
    assert {key for keys in rest for key in keys} <= {CLOSING}


@pytest.mark.parametrize("other", EVERY)
@pytest.mark.parametrize("name", EVERY)
def test_what_has_changed_meanwhile_is_seen(name: str, other: str) -> None:
    both = edited(name).replace(*EVERY[other])
    ran([PROGRAM, edited(name), both, PROGRAM.replace(*EVERY[other]), PROGRAM, edited(other), both])


def test_what_is_in_a_list_is_seen() -> None:
    text = PROGRAM + "net = Net()\nKINDS.append(net)\n"
    more = text.replace('["a"]', '["a", "b"]')
    _, _, back, _ = ran([text, edited("a body") + text.removeprefix(PROGRAM), text, more])
    assert back == [] or all(isinstance(one, str) for one in back)
    ran([text, text.replace("SCALE = 2", "SCALE = 3"), more.replace("SCALE = 2", "SCALE = 3"), more, text])
    ran([text, text.replace("KINDS.append(net)", "KINDS.append(SCALE)"), text.replace("KINDS.append(net)\n", ""), text])


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [PROGRAM.replace("x + 1", f"x + {n}").replace("SCALE = 2", f"SCALE = {n}") for n in range(2, 12)]
    session = Session(Alone())
    source = None
    for text in texts:
        source = parse(text, "main.py", source)
        session.replay([source])
    of = [former.entered.of for formers in session.past.formers.values() for former in formers]
    assert of
    assert max(map(of.count, of)) == past.OF_ONE
    monkeypatch.setattr(past, "MOST", 60)
    session.replay([parse(texts[0], "main.py", source)])
    assert 0 < sum(former.entered.cost for formers in session.past.formers.values() for former in formers) <= 60


def test_statements_of_the_files_own_code_run_again() -> None:
    text = PROGRAM + "out = Net()(torch.ones(3))\nout.sum().backward()\n"
    session = Session(Alone())
    source = None
    for one in (text, text.replace("y = x.exp()", "y = x + 1"), text):
        source = parse(one, "main.py", source)
        report = session.replay([source])
    assert any(isinstance(step.key, ir.Stmt) for step in session.ran)
    assert differences(report, replay([parse(text, "main.py")], Alone())) == []
