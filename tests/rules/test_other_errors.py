"""Errors of PyTorch's, and its advice: each is met on PyTorch, and something is said of it in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from gradguard.rules.error_words import account, retell
from gradguard.rules.messages import say
from gradguard.rules.pytorch_error import ADVICE, OTHERS, SAID, read
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


def twice() -> None:
    loss = leaf().exp().sum()
    loss.backward()
    loss.backward()


def stale() -> None:
    y = leaf().exp()
    y += 1
    y.sum().backward()


def stale_in_anomaly_mode() -> None:
    with torch.autograd.set_detect_anomaly(True):
        stale()


class Halves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:2], x[1:]

    @staticmethod
    def backward(ctx, a, b):
        return torch.cat([a, b])[:3]


class Half(Halves):
    @staticmethod
    def forward(ctx, x):
        return x[:2]


def several_views() -> None:
    a, _ = Halves.apply(leaf() * 1)
    a += 1


def view_of_a_function() -> None:
    a = Half.apply(leaf() * 1)
    a += 1


def view_made_without_grad() -> None:
    x = leaf() * 1
    with torch.no_grad():
        y = x[:2]
    y += 1


def inference_tensor() -> None:
    with torch.inference_mode():
        x = rand(3)
    x += 1


ADVISED: dict[str, tuple[Callable[[], object], str | None]] = {
    "advice-retain": (twice, "said-freed"),
    "advice-anomaly": (stale, None),
    "advice-backtrace": (stale_in_anomaly_mode, None),
    "advice-clone-output": (view_of_a_function, "said-function-view"),
    "advice-out-of-place": (several_views, "said-several-views"),
    "advice-both-sides": (view_made_without_grad, None),
    "advice-normal-tensor": (inference_tensor, None),
    "advice-clone-first": (lambda: rand(1).expand(3).mul_(2), None),
}


def test_every_advice_is_met() -> None:
    assert set(ADVICE.values()) == ADVISED.keys()
    assert set(SAID.values()) == {said for _, said in ADVISED.values() if said}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", ADVISED)
def test_what_the_advice_is_worth(key: str) -> None:
    fail, said = ADVISED[key]
    with pytest.raises(RuntimeError) as raised:
        fail()
    error = read(f"RuntimeError: {raised.value}")
    assert error is not None
    assert error.rules
    assert error.advice == (key,)
    assert error.said == ((said,) if said else ())
    for locale in ("en", "zh-cn"):
        assert f"1. {say(key, locale)}" in account(error, locale)
