"""What PyTorch does beside its operators: as measured here, and as the replay of each release has it."""

from __future__ import annotations

from dataclasses import fields

import pytest
from gradguard.analyses import replay
from gradguard.facts import releases
from gradguard.facts.habits import Habits
from gradguard.facts.measure import habits
from gradguard.syntax.chunks import parse

from ..analyses.replaying import Alone
from ..installed import FACTS

WRITTEN = """\
class Op(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad
"""

X = "x = torch.ones(2, 2, requires_grad=True)"
UNUSED = f"{X}; y = torch.ones(2, requires_grad=True); g, = torch.autograd.grad(x.sum(), y, materialize_grads=True"

FAILING = {
    "asarray_detaches": {f"{X}; y = torch.asarray(x); x += 1": ("", "leaf-inplace")},
    "slices_whole": {
        f"{X}; x[:, [0]] = 1.0": ("view-of-leaf-inplace", "leaf-inplace"),
        f"{X}; x[:] = 1.0": ("view-of-leaf-inplace", "leaf-inplace"),
        f"{X}; x[:2, [0]] = 1.0": ("view-of-leaf-inplace", "leaf-inplace"),
        f"{X}; x[[0]] = 1.0": ("leaf-inplace", "leaf-inplace"),
        f"{X}; x[..., [0]] = 1.0": ("leaf-inplace", "leaf-inplace"),
        f"{X}; x[0, [0]] = 1.0": ("view-of-leaf-inplace", "view-of-leaf-inplace"),
        f"{X}; x[:1, [0]] = 1.0": ("view-of-leaf-inplace", "view-of-leaf-inplace"),
    },
    "unused_require_grad": {
        f"{UNUSED}); g += 1": ("leaf-inplace", ""),
        f"{UNUSED}, create_graph=True); g += 1": ("leaf-inplace", "leaf-inplace"),
    },
    "writes_views_of_leaves": {f"{X}; Op.apply(x[0])": ("", "view-of-leaf-inplace")},
}
"""programs by habit, with what PyTorch raises where a release has it, and where not"""

CASES = [(habit, text) for habit, texts in FAILING.items() for text in texts]

MESSAGES = {"leaf-inplace": "a leaf Variable", "view-of-leaf-inplace": "a view of a leaf Variable"}


class Of(Alone):
    """Programs that run with a release."""

    def __init__(self, name: str) -> None:
        self.facts = releases.of(name)


@pytest.mark.filterwarnings("ignore:torch.asarray")
def test_they_are_those_of_the_release_that_is_installed() -> None:
    assert habits.measure() == {field.name: getattr(FACTS.habits, field.name) for field in fields(Habits)}


def kind_of(habit: str, text: str, facts: releases.Facts) -> str:
    """What a program raises with a release; empty for nothing."""
    having, lacking = FAILING[habit][text]
    return having if getattr(facts.habits, habit) else lacking


@pytest.mark.parametrize(("habit", "text"), CASES)
def test_pytorch_does_what_is_told_of_it(habit: str, text: str) -> None:
    program = f"import torch\n{WRITTEN}{text}"
    kind = kind_of(habit, text, FACTS)
    if not kind:
        exec(program, {})
        return
    with pytest.raises(RuntimeError, match=f"^{MESSAGES[kind]}"):
        exec(program, {})


@pytest.mark.parametrize("release", releases.names())
@pytest.mark.parametrize(("habit", "text"), CASES)
def test_the_replay_does_what_each_release_does(habit: str, text: str, release: str) -> None:
    kind = kind_of(habit, text, releases.of(release))
    found = replay([parse(f"import torch\n{WRITTEN}{text}\n", "main.py")], Of(release)).failures
    assert [one.kind for one in found] == ([kind] if kind else [])
