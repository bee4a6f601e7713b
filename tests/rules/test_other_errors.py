"""Errors of PyTorch's that no rule is about: each is met on PyTorch, and something is said of it in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from gradguard.rules.error_words import retell
from gradguard.rules.messages import say
from gradguard.rules.pytorch_error import OTHERS, read
from torch import rand

if TYPE_CHECKING:
    from collections.abc import Callable


def leaf() -> torch.Tensor:
    return rand(3, requires_grad=True)


def detached_saved() -> None:
    x = leaf().clone()
    y = x.sin()
    x.detach_()
    y.sum().backward()


def captured() -> None:
    total = torch.zeros(3)

    def f(x: torch.Tensor) -> torch.Tensor:
        total.add_(x)
        return x.sum()

    torch.func.grad(f)(rand(3))


MEETINGS: dict[str, Callable[[], object]] = {
    "said-no-graph": lambda: rand(3).sum().backward(),
    "said-not-scalar": lambda: leaf().exp().backward(),
    "said-unused": lambda: torch.autograd.grad(leaf().sum(), leaf()),
    "said-not-requiring": lambda: torch.autograd.grad(leaf().sum(), rand(3)),
    "said-numpy": lambda: leaf().numpy(),
    "said-flags": lambda: leaf().exp().requires_grad_(False),
    "said-detach-view": lambda: leaf().exp()[:2].detach_(),
    "said-detached-saved": detached_saved,
    "said-optimizer": lambda: torch.optim.SGD([leaf().exp()], lr=0.1),
    "said-captured": captured,
    "said-resize": lambda: leaf().resize_(5),
    "said-broadcast": lambda: rand(3).add_(rand(2, 3)),
    "said-cast": lambda: torch.arange(3).mul_(0.5),
}


def test_every_message_is_met() -> None:
    assert set(OTHERS.values()) == MEETINGS.keys()


@pytest.mark.parametrize("key", MEETINGS)
def test_what_is_said_of_it(key: str) -> None:
    with pytest.raises((RuntimeError, ValueError)) as raised:
        MEETINGS[key]()
    error = read(f"{raised.type.__name__}: {raised.value}")
    assert error is not None
    assert (error.rules, error.others) == ((), (key,))
    for locale in ("en", "zh-cn"):
        assert say(key, locale) in retell(error, locale)
