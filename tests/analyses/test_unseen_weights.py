"""Models and optimizers that come in as arguments: a step changes what a call of the model has saved.

Each program is run on PyTorch as well, with two small networks.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from gradguard.analyses import replay
from gradguard.rules.diagnostic import Diagnostic, diagnose
from gradguard.rules.rule import Severity
from gradguard.syntax.chunks import parse
from torch import nn

from .replaying import Alone

GAME = """\
import torch
from torch.nn import functional as F


def train({models}, {optimizers}, batches):
    {made}
    for real in batches:
        fake = {maker}(real * 2)
        judged = {judge}(fake)
        d_loss = F.softplus(-{judge}(real)).mean() + F.softplus(judged).mean()
        {of_judge}.zero_grad()
        d_loss.backward(retain_graph=True)
        {step}
        g_loss = F.softplus(-{again}).mean()
        {of_maker}.zero_grad()
        g_loss.backward()
        {of_maker}.step()
        {last}
"""
BUILT = "g_opt = torch.optim.SGD(g.parameters(), 0.1)\n    d_opt = torch.optim.Adam(params=d.parameters())"
NAMES: dict[str, dict[str, str]] = {
    "known optimizers": {"of_maker": "g_opt", "of_judge": "d_opt", "made": BUILT, "maker": "g", "judge": "d"},
    "by their names": {"of_maker": "actor_optim", "of_judge": "critic_optim", "maker": "actor", "judge": "critic"},
    "by one letter": {"of_maker": "opt_G", "of_judge": "opt_D", "maker": "generator", "judge": "discriminator"},
    "with other words": {"of_maker": "optimizer_g", "of_judge": "optimizer_d", "maker": "net_G", "judge": "netD"},
}


def told(name: str, raises: bool, **parts: str) -> list[Diagnostic]:
    """What is told of a game, where PyTorch raises, or trains its networks."""
    own = {"made": "pass", **NAMES[name]}
    own |= {"step": f"{own['of_judge']}.step()", "again": "judged", "last": "pass", **parts}
    known = own["made"] != "pass"
    models, optimizers = f"{own['maker']}, {own['judge']}", f"{own['of_maker']}, {own['of_judge']}"
    text = GAME.format(models=models, optimizers="rate" if known else optimizers, **own)
    scope: dict[str, Any] = {}
    exec(text, scope)
    nets = [nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3)) for _ in range(2)]
    given = [0.1] if known else [torch.optim.SGD(net.parameters(), 0.1) for net in nets]
    batches = [torch.rand(2, 3) for _ in range(2)]
    if raises:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            scope["train"](*nets, *given, batches)
    else:
        scope["train"](*nets, *given, batches)
    return diagnose(replay([parse(text, "main.py")], Alone()))


@pytest.mark.parametrize("name", NAMES)
def test_a_step_changes_what_a_model_has_saved(name: str) -> None:
    (found,) = told(name, raises=True)
    assert (found.rule.code, found.severity) == ("GG102", Severity.WARNING)
    own = NAMES[name]
    if "made" not in own:
        assert f"`{own['of_judge']}` updates `{own['judge']}`" in str(found.words.when)


HARMLESS = {
    "it is called again": {"again": "{judge}(fake)"},
    "the step comes last": {"step": "pass", "last": "{of_judge}.step()"},
    "another one is updated before": {"step": "{of_maker}.zero_grad()"},
    "what was made is not trained through": {"again": "{judge}(fake.detach())"},
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("harmless", HARMLESS)
def test_what_a_step_leaves_as_it_was_is_silent(name: str, harmless: str) -> None:
    parts = {part: text.format(**NAMES[name]) for part, text in HARMLESS[harmless].items()}
    assert told(name, raises=False, **parts) == []
