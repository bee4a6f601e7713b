"""Transforms that a program defines: `TransformedDistribution` calls their methods, and trains through them."""

from __future__ import annotations

import pytest
from gradguard.rules.rule import Severity

from ..refused import told_of_refused, told_of_working

OWN = """\
import torch
from torch.distributions import Transform, constraints


class Own(Transform):
    domain, codomain, bijective = constraints.real, constraints.positive, True

    def _call(self, x):
        y = x.exp()
        {called}
        return y

    def _inverse(self, y):
        x = y.sqrt()
        {inverted}
        return x

    def log_abs_det_jacobian(self, x, y):
        slope = x.sigmoid()
        {told}
        return slope.log()
"""
NOTHING = dict.fromkeys(("called", "inverted", "told"), "pass")
X = "torch.rand(3, requires_grad=True)"
USES = {"called": f"Own()({X})", "inverted": f"Own().inv({X})", "told": f"Own().log_abs_det_jacobian({X}, 1)"}
WRITES = {"called": "y += 1", "inverted": "x += 1", "told": "slope += 1"}


@pytest.mark.parametrize("method", ["called", "told"])
def test_a_transform_is_trained_by_the_distribution_that_has_it(method: str) -> None:
    found = told_of_refused(OWN.format_map(NOTHING | {method: WRITES[method]}), USES[method])
    assert found.severity is Severity.WARNING
    assert found.words.when == "if `x` requires grad and `Own` is trained"


def test_one_that_only_goes_back_is_trained_so() -> None:
    text = OWN.format_map(NOTHING | {"inverted": WRITES["inverted"]}).replace("_call", "_other")
    found = told_of_refused(text, USES["inverted"])
    assert found.severity is Severity.WARNING
    assert found.words.when == "if `y` requires grad and `Own` is trained"


@pytest.mark.parametrize("method", USES)
def test_what_changes_nothing_that_is_saved_is_silent(method: str) -> None:
    harmless = {"called": "y = y + 1", "inverted": "x = x * 1", "told": "slope = slope.clone().add_(1)"}
    assert told_of_working(OWN.format_map(NOTHING | harmless), USES[method]) == []


VARIED = """\
import torch
from torch import nn
from torch.distributions import Transform, constraints


class Planar(Transform):
    domain, codomain, bijective = constraints.real, constraints.real, True

    def __init__(self, made, gate=None):
        super().__init__()
        self.made = made
        self.gate = gate

    def _call(self, x):
        w = self.made()
        {changed}
        y = x * w
        if self.gate == "tanh":
            y = y.tanh()
            {gated}
        return y

    def log_abs_det_jacobian(self, x, y):
        return self.made().abs().log()


class Learned(Planar):
    def __init__(self):
        super().__init__(self.own)
        self.w = nn.Parameter(torch.ones(3))

    def own(self):
        return self.w
"""


def test_a_class_that_varies_one_is_trained_for_itself() -> None:
    found = told_of_refused(VARIED.format(changed="w += 1", gated="pass"), f"Learned()({X})", "leaf Variable")
    assert (found.rule.code, found.severity) == ("GG201", Severity.WARNING)
    assert found.words.when == "if `Learned` is trained"


def test_its_options_are_tried_as_those_of_a_module() -> None:
    made = f"Planar(lambda: torch.ones(3), 'tanh')({X})"
    found = told_of_refused(VARIED.format(changed="pass", gated="y += 1"), made)
    assert found.severity is Severity.WARNING
    assert "`Planar(gate=…)` is trained" in str(found.words.when)
