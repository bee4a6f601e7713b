"""Modules that nobody has built, at their defaults: with more options than there are branches to follow, without an
argument that may be left out, and with a dropout that drops nothing unless somebody asks for it."""

from __future__ import annotations

from typing import Any

import pytest
from gradguard.analyses import replay
from gradguard.rules.diagnostic import Diagnostic, Severity, diagnose
from gradguard.syntax.chunks import parse

from .refused import told_of_refused
from .replaying import Alone

ATTENTION = """\
import torch
from torch import nn
from torch.nn import functional as F


def exists(v):
    return v is not None


class Attend(nn.Module):
    def __init__(self, {parameters}scale=None, cosine=False, signed=False, clamped=False, sunk=False, heads=False):
        super().__init__()
        self.scale, self.cosine, self.signed, self.clamped, self.sunk = scale, cosine, signed, clamped, sunk
        self.mix = nn.Linear(3, 3) if heads else None

    def forward(self, q, k, v, mask=None, bias=None, before=None, delta=None):
        sim = q @ k.transpose(-2, -1)
        if self.cosine:
            sim = sim / sim.norm(dim=-1, keepdim=True)
        if exists(before):
            sim = sim + before
        if exists(bias):
            sim = sim + bias
        if self.clamped:
            sim = sim.tanh()
        if self.signed:
            sim = sim.abs()
        if exists(mask):
            sim = sim.masked_fill(mask, -1e9)
        if exists(self.scale):
            sim = sim * self.scale
        if self.sunk:
            sim = torch.cat([sim, sim], dim=-1)
        attn = F.softmax(sim, dim=-1)
        if exists(delta):
            attn = attn + delta
        if exists(self.mix):
            attn = self.mix(attn)
        {write}
        return attn @ v
"""

Q = "torch.randn(3, 3, requires_grad=True)"


@pytest.mark.parametrize(("parameters", "given", "named"), [("", "", "Attend()"), ("width, ", "3", "Attend(…)")])
def test_a_module_with_many_options_is_trained_at_its_defaults(parameters: str, given: str, named: str) -> None:
    text = ATTENTION.format(parameters=parameters, write="attn *= 0.5")
    found = told_of_refused(text, f"Attend({given})({Q}, {Q}, {Q})")
    assert found.severity is Severity.WARNING
    assert f"`{named}` is trained" in found.words.when


def test_one_that_works_at_its_defaults_is_silent() -> None:
    text = ATTENTION.format(parameters="", write="attn = attn * 0.5")
    trained(text, f"Attend()({Q}, {Q}, {Q})")
    assert told(text) == []


MASKED = """\
import torch
from torch import nn
from torch.nn import functional as F


def exists(v):
    return v is not None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(3, 9)

    def forward(self, x, mask=None):
        if {asked}:
            mask = {made}
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        if {asked}:
            q = q * mask
        {write}
        return q @ k @ v
"""

MASKS = {
    "operator": ("mask is not None", "torch.exp(mask)"),
    "function": ("mask is not None", "F.pad(mask, (1, 0))"),
    "method": ("exists(mask)", "mask.unsqueeze(0)"),
    "conversion": ("exists(mask)", "mask.float()"),
    "arithmetic": ("mask is not None", "mask + 1"),
    "number": ("mask is not None", "5"),
}
"""by name: how a program asks for an argument, and what it makes of it"""


@pytest.mark.parametrize("name", MASKS)
def test_an_argument_that_is_used_where_it_is_given_may_be_left_out(name: str) -> None:
    asked, made = MASKS[name]
    scope: dict[str, Any] = {}
    text = MASKED.format(asked=asked, made=made, write="q *= 3")
    exec(text, scope)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        exec("Net()(torch.randn(2, 3, 3))", scope)
    (found,) = told(text)
    assert found.severity is Severity.WARNING
    assert f"`{asked}` is false" in found.words.when


@pytest.mark.parametrize("name", MASKS)
def test_what_works_without_that_argument_is_silent(name: str) -> None:
    asked, made = MASKS[name]
    text = MASKED.format(asked=asked, made=made, write="q = q * 3")
    trained(text, "Net()(torch.randn(2, 3, 3))")
    assert told(text) == []


DROPOUT = """\
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Config:
    rate: float = RATE


class Net(nn.Module):
    def __init__(self, {parameter}):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        {made}

    def forward(self, x):
        x = {dropped}
        x += 1
        return x
"""

DROPOUTS = {
    "layer": ("p=RATE", "self.drop = nn.Dropout(p)", "self.drop(self.lin(x).sigmoid())", ""),
    "layer_of_channels": ("p=RATE", "self.drop = nn.Dropout2d(p)", "self.drop(self.lin(x).sigmoid())", ""),
    "function": ("p: float = RATE", "self.p = p", "F.dropout(self.lin(x).sigmoid(), self.p, self.training)", ""),
    "converted": ("p: float = RATE", "self.p = p", "F.dropout(self.lin(x).tanh(), float(self.p), self.training)", ""),
    "configuration": (
        "config: Config",
        "self.drop = nn.Dropout(config.rate)",
        "self.drop(self.lin(x).exp())",
        "Config()",
    ),
}
"""by name: the parameter of a module, what it is used for, what is dropped, and what is passed to a constructor"""


@pytest.mark.parametrize("name", DROPOUTS)
def test_a_dropout_that_drops_nothing_by_default_gives_its_argument_back(name: str) -> None:
    found = told_of_refused(dropout(name, "0.0"), f"Net({DROPOUTS[name][3]})(torch.randn(2, 3, 4, 3))")
    assert found.severity is Severity.WARNING
    assert "== 0.0` is true" in found.words.when


@pytest.mark.parametrize("name", DROPOUTS)
def test_one_that_drops_something_by_default_makes_a_copy(name: str) -> None:
    trained(dropout(name, "0.1"), f"Net({DROPOUTS[name][3]})(torch.randn(2, 3, 4, 3))")
    assert told(dropout(name, "0.1")) == []


@pytest.mark.parametrize("name", DROPOUTS)
def test_one_in_place_that_drops_nothing_by_default_changes_nothing_there(name: str) -> None:
    """Only with another probability does it write to what the operator before it has saved."""
    text, passed = in_place(dropout(name, "0.0")), DROPOUTS[name][3]
    trained(text, f"Net({passed})(torch.randn(2, 3, 4, 3))")
    (found,) = told(text)
    assert found.severity is Severity.WARNING
    assert "== 0.0` is false" in found.words.when
    told_of_refused(in_place(dropout(name, "0.5")), f"Net({passed})(torch.randn(2, 3, 4, 3))")


def test_where_it_is_asked_for_the_answer_is_told_once() -> None:
    text = in_place(dropout("layer", "0.0"))
    text = text.replace("nn.Dropout(p, inplace=True)", "nn.Dropout(p, inplace=True) if p > 0 else nn.Identity()")
    (found,) = told(text)
    assert found.words.when == "if `p > 0` is true (line 17) and `Net` is trained"


def in_place(text: str) -> str:
    """The program with a dropout in place, and without the write behind it."""
    text = text.replace("        x += 1\n", "").replace("self.training)", "self.training, inplace=True)")
    return text.replace("(p)", "(p, inplace=True)").replace("(config.rate)", "(config.rate, inplace=True)")


def test_what_no_operator_has_saved_may_be_written_behind_a_dropout() -> None:
    text = dropout("layer", "0.0").replace(".sigmoid()", "")
    trained(text, "Net()(torch.randn(2, 3))")
    assert told(text) == []


def dropout(name: str, rate: str) -> str:
    parameter, made, dropped, _ = DROPOUTS[name]
    return DROPOUT.format(parameter=parameter, made=made, dropped=dropped).replace("RATE", rate)


def trained(text: str, output: str) -> None:
    scope: dict[str, Any] = {"__name__": __name__}
    exec(text, scope)
    exec(f"{output}.sum().backward()", scope)


def told(text: str) -> list[Diagnostic]:
    return diagnose(replay([parse(text, "main.py")], Alone()))


EITHER = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim, units, normed=False):
        super().__init__()
        self.normed = normed
        units = [dim] + list(units)
        self.linears = nn.ModuleList([nn.Linear(units[i], units[i + 1]) for i in range(len(units) - 1)])
        if self.normed:
            self.norms = nn.ModuleList([nn.BatchNorm1d(units[i + 1]) for i in range(len(units) - 1)])
        self.acts = nn.ModuleList([nn.ReLU(inplace=True) for i in range(len(units) - 1)])

    def forward(self, x):
        for i in range(len(self.linears)):
            y = self.linears[i](x)
            if self.normed:
                y = self.norms[i](y)
            x = self.acts[i](y)
        return x
"""


@pytest.mark.parametrize("normed", [True, False])
def test_what_saves_on_one_side_isnt_reached_on_the_other(normed: bool) -> None:
    trained(EITHER, f"Net(3, [4, 4, 4], {normed})(torch.randn(5, 3))")
    assert told(EITHER) == []
