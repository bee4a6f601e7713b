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
