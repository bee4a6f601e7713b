"""What is found of a class whose constructor gets arguments that nobody knows, as in a file without a script."""

from __future__ import annotations

import pytest
import torch
from gradguard.analyses.program.session import Session
from gradguard.rules.diagnostic import diagnose
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse

from .refused import told_of_refused
from .replaying import Alone

HEAD = "import torch\nfrom torch import nn\n"
CHANGED = """
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.layer(x)
        x += 1
        return y
"""


LAYERS = {
    "a kernel": ("kernel", "nn.Conv2d(3, 3, kernel)", "Net(3)(torch.randn(1, 3, 8, 8))"),
    "groups": ("k, s, g", "nn.ConvTranspose2d(3, 3, k, s, groups=g)", "Net(3, 2, 1)(torch.randn(1, 3, 8, 8))"),
    "layers": ("n: int, two: bool", "Only(nn.LSTM(3, 3, n, bidirectional=two))", "Net(2, True)(torch.randn(2, 3, 3))"),
    "affine": ("affine", "nn.BatchNorm2d(3, affine=affine)", "Net(True)(torch.randn(2, 3, 4, 4))"),
    "elementwise": ("shape, own", "nn.LayerNorm(shape, elementwise_affine=own)", "Net(3, True)(torch.randn(2, 3))"),
    "dims": ("dims", "(nn.Conv1d, nn.Conv2d, nn.Conv3d)[dims - 1](3, 3, 1)", "Net(1)(torch.randn(1, 3, 8))"),
}
ONLY = """
class Only(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, x):
        return self.inner(x)[0]
"""


@pytest.mark.parametrize("what", LAYERS)
def test_a_layer_has_its_parameters_whatever_its_constructor_gets(what: str) -> None:
    given, layer, output = LAYERS[what]
    init = f"    def __init__(self, {given}):\n        super().__init__()\n        self.layer = {layer}\n"
    data = CHANGED.replace("y = self", "x = x.detach() * 2\n        y = self")
    text = f"{HEAD}{ONLY}\nclass Net(nn.Module):\n{init}{data}"
    assert told_of_refused(text, output).severity is Severity.WARNING


@pytest.mark.parametrize("annotation", ["", ": int"])
def test_a_number_that_a_sequence_keeps_is_none_of_its_modules(annotation: str) -> None:
    text = f"""{HEAD}
class Pair(nn.Sequential):
    def __init__(self, dims{annotation}, size=3):
        super().__init__()
        self.dims = dims
        self.size = size
        self.add_module("conv", nn.Conv1d(3, 3, size))

class Net(nn.Module):
    def __init__(self, dims{annotation}):
        super().__init__()
        self.layer = nn.Sequential(Pair(dims), nn.ReLU())
{CHANGED}"""
    assert told_of_refused(text, "Net(1)(torch.randn(1, 3, 8))").severity is Severity.WARNING


def test_a_module_that_is_passed_in_stays_in_its_list_when_others_are_inserted() -> None:
    text = f"""{HEAD}
class Net(nn.Module):
    def __init__(self, last):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), last])
        self.layers.insert(0, nn.Linear(3, 3))

    def forward(self, x):
        y = x.exp()
        if len(self.layers) == 3:
            y += 1
        return y
"""
    assert told_of_refused(text, "Net(nn.ReLU())(torch.ones(3, requires_grad=True))").severity is Severity.WARNING


FACTORY = """
def dropout_of(name):
    if isinstance(name, (int, float)):
        return nn.Dropout(name)
    return Table[name]

def looked_up(name, table):
    if name in table:
        return table[name]
    near = {}
    for one in table:
        for a in one:
            for b in f"{name}":
                near[one] = near.get(one, 0) + (a == b)
    best = max(near, key=near.get)
    raise ValueError(f"did you mean {best}?")

class Factory:
    def __init__(self):
        self.made = {"conv": nn.Conv1d, "norm": nn.BatchNorm1d, "act": nn.ReLU, "drop": nn.Dropout, "id": nn.Identity}

    def __getitem__(self, args):
        if callable(args):
            return args
        name, *rest = args
        return looked_up(name, self.made)

Table = Factory()

class Net(nn.Module):
    def __init__(self, kind, dropout=0.0):
        super().__init__()
        for one in ("act", "norm", "drop"):
            Table[kind, one]
        self.layer = nn.Sequential(Table["conv", 1](3, 3, 1), dropout_of(dropout))
"""


def test_a_factory_makes_what_is_asked_of_it() -> None:
    text = f"{HEAD}{FACTORY}{CHANGED}"
    assert told_of_refused(text, "Net('act')(torch.randn(1, 3, 8))").severity is Severity.WARNING


def test_what_is_computed_for_an_error_message_is_computed_once() -> None:
    text = f"{HEAD}{FACTORY}{CHANGED}"
    steps = []
    for times in (1, 9):
        session = Session(Alone())
        session.replay([parse(text.replace('("act", "norm", "drop")', str(("act",) * times)), "main.py")])
        steps.append(session.m.work.steps)
    assert steps[1] - steps[0] < 8 * 20, steps


class Package(Alone):
    """A program that imports a long module."""

    def load(self, name: str, level: int, importer: str):  # type: ignore[no-untyped-def]
        long = "".join(f"def f{i}(x):\n    return x\nv{i} = f{i}({i})\n" for i in range(1500))
        return parse(long, "long.py") if name == "long" else None


BLOCKS = """
import torch, long
from torch import nn

class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        q = self.q(x)
        k = self.k(x)
        v = self.v(x)
        scores = q @ k.transpose(-2, -1)
        for _ in range(6):
            scores = scores / 2
            scores = scores + 1
        scores = scores.softmax(-1)
        return scores @ v

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = Attention(width)
"""


def test_what_imports_run_makes_no_class_of_the_file_familiar() -> None:
    report = Session(Package()).replay([parse(f"{BLOCKS}{CHANGED}", "main.py")])
    assert {one.severity for one in diagnose(report)} == {Severity.WARNING}
    scope: dict[str, object] = {}
    exec(f"{BLOCKS}{CHANGED}".replace(", long", ""), scope)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        scope["Block"](3)(torch.randn(2, 3)).sum().backward()  # type: ignore[operator]
