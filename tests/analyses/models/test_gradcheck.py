"""Why gradcheck fails: precision, a wrong backward, a random one."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import pytest

from .agreement import assert_agreement

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = ("", "eps=1e-3", "eps=1e-3, atol=1e-2", "atol=1e-2", "atol=1e-3, rtol=1e-2", "nondet_tol=1.0",
           "raise_exception=False")  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("check", ["gradcheck", "gradgradcheck"])
def test_precision(tmp_path: Path, check: str, dtype: str, options: str) -> None:
    assert_agreement(
        tmp_path,
        f"""
        import torch

        torch.manual_seed(0)
        x = torch.randn(4, dtype=torch.{dtype}, requires_grad=True)
        torch.autograd.{check}(torch.sin, (x,), {options})
        """,
    )


FUNCTIONS = {
    "cube": ("ctx.save_for_backward(x); return x ** 3", "(x,) = ctx.saved_tensors; return 3 * x ** 2 * g"),
    "cube, wrong": ("ctx.save_for_backward(x); return x ** 3", "(x,) = ctx.saved_tensors; return 2 * x ** 2 * g"),
    "sign lost": ("return -x", "return g"),
    "forgotten upstream": ("return x * 2", "return torch.full_like(g, 2.0)"),
    "softplus": ("ctx.x = x; return torch.log1p(x.exp())", "return g * torch.sigmoid(ctx.x)"),
    "softplus, wrong": ("ctx.x = x; return torch.log1p(x.exp())", "return g * torch.tanh(ctx.x)"),
    "clamped": ("ctx.m = x > 0; return x.clamp(min=0)", "return g * ctx.m"),
    "clamped, straight through": ("return x.clamp(-0.1, 0.1)", "return g"),
    "rounded, straight through": ("return x.round()", "return g"),
    "mean": ("ctx.n = x.numel(); return x.mean()", "return g.expand(ctx.n) / ctx.n"),
    "norm": ("y = x.pow(2).sum().sqrt(); ctx.save_for_backward(x, y); return y",
             "x, y = ctx.saved_tensors; return g * x / y"),
    "nothing": ("return x.exp()", "return None"),
    "scaled": ("return x * torch.pi", "return g * torch.pi"),
    "random": ("return x * 1", "return g * (1 + 1e-5 * torch.rand_like(g))"),
    "random, in place": ("return x * 1", "return g * torch.empty_like(g).uniform_(0.9, 1.1)"),
    "random, seeded": ("return x * 1", "torch.manual_seed(0); n = torch.rand_like(g); return g + 0 * n"),
    "where": ("ctx.save_for_backward(x); return torch.where(x > 0, x, 0.1 * x)",
              "(x,) = ctx.saved_tensors; return torch.where(x > 0, g, 0.1 * g)"),
    "in place": ("y = x.clone(); y.mul_(3); return y", "return g.mul(3)"),
    "helper": ("return bump(x)", "return slope(g)"),
    "as it is": ("return x.view_as(x)", "return g"),
    "reversed": ("return x.view_as(x)", "return -g"),
    "sum of squares": ("ctx.save_for_backward(x); return (x * x).sum()", "(x,) = ctx.saved_tensors; return 2 * x * g"),
    "sum of squares, wrong": ("ctx.save_for_backward(x); return (x * x).sum()",
                              "(x,) = ctx.saved_tensors; return 2 * x * g / len(x)"),
    "masked, in place": ("ctx.save_for_backward(x); return x.relu()",
                         "(x,) = ctx.saved_tensors; g = g.clone(); g[x < 0] = 0; return g"),
    "masked, wrong": ("ctx.save_for_backward(x); return x.relu()",
                      "(x,) = ctx.saved_tensors; g = g.clone(); g[x > 0] = 0; return g"),
    "generator of its own": ("return x * 1", "r = torch.Generator().manual_seed(0); "
                             "return g + 0 * torch.rand(5, generator=r)"),
}  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "call", ["F.apply, (x,)", "lambda t: F.apply(t) * 2, [x]", "wrapped, x", "partial(F.apply), (x,), nondet_tol=1e-3"]
)
def test_a_custom_function(tmp_path: Path, function: str, call: str) -> None:
    if function == "forgotten upstream" and "apply" not in call.partition(",")[0].removeprefix("lambda t: F.apply"):
        pytest.skip("seen only where the function's output is the one that is checked: a sum would make it right")
    forward, backward = FUNCTIONS[function]
    assert_agreement(
        tmp_path,
        f"""
        from functools import partial

        import torch
        from torch.autograd import gradcheck


        def bump(x):
            return x * 4


        def slope(g):
            return g * 4


        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                {forward}

            @staticmethod
            def backward(ctx, g):
                {backward}


        def wrapped(t):
            return F.apply(t).sum()


        torch.manual_seed(1)
        x = torch.randn(5, dtype=torch.float64, requires_grad=True)
        gradcheck({call})
        """,
    )


BODIES = {
    "a loop": ("for _ in range(3):\n    y = y * x", "for _ in range(3):\n    g = g * x\ng = 4 * g"),
    "a loop too many": ("for _ in range(3):\n    y = y * x", "for _ in range(4):\n    g = g * x\ng = 4 * g"),
    "a context": ("with torch.no_grad():\n    y = x.exp()", "with torch.no_grad():\n    g = g * x.exp()"),
    "a context, wrong": ("with torch.no_grad():\n    y = x.exp()", "with torch.no_grad():\n    g = g + x.exp()"),
    "a handler": ("try:\n    y = x.exp()\nexcept RuntimeError:\n    y = x", "g = g * x.exp()"),
    "a handler, wrong": ("try:\n    y = x.exp()\nfinally:\n    y = y * x", "g = g * x.exp()"),
    "a list": ("y = sum([x * k for k in (1.0, 2.0)])", "g = [g * k for k in (3.0,)][0]"),
    "a list, wrong": ("y = sum([x * k for k in (1.0, 2.0)])", "g = [g * k for k in (3.0, 2.0)][1]"),
    "a dict": ("y = {'s': x.sin()}['s']", "factors = {'c': x.cos()}\ng = g * factors['c']"),
    "a dict, wrong": ("y = {'s': x.sin()}['s']", "factors = {'c': x.sin()}\ng = g * factors['c']"),
    "a function inside": ("def inner(t):\n    return t.exp()\ny = inner(x)", "g = (lambda t: t.exp())(x) * g"),
    "a function inside, wrong": ("def inner(t):\n    return t.exp()\ny = inner(x)", "g = (lambda t: t.exp())(g)"),
    "a choice": ("y = x if ctx.needs_input_grad[0] else 0 * x", "g = -g if x.numel() == 1 else g"),
    "a choice, wrong": ("y = x * 1 if ctx.needs_input_grad[0] else 0 * x", "g = g if x.dim() == 7 else -g"),
    "an object": ("class Kept:\n    k = 2.0\nctx.kept = Kept()\ny = x * ctx.kept.k", "g = g * ctx.kept.k"),
    "an object, wrong": ("ctx.kept = [2.0]\ny = x * ctx.kept[0]\nctx.kept.append(3.0)", "g = g * ctx.kept[-1]"),
    "a matrix": ("y = x @ torch.full((4, 2), 0.5, dtype=x.dtype)", "g = g @ torch.full((2, 4), 0.5, dtype=x.dtype)"),
    "a matrix, wrong": ("y = x @ torch.full((4, 2), 0.5, dtype=x.dtype)", "g = g @ torch.ones(2, 4, dtype=x.dtype)"),
    "rows": ("y = x.sum(1) / x.shape[1]", "g = (g / x.shape[1])[:, None].expand_as(x)"),
    "rows, wrong": ("y = x.sum(1) / x.shape[1]", "g = (g / x.shape[0])[:, None].expand_as(x)"),
    "a check": ("if not isinstance(x, torch.Tensor):\n    raise TypeError\ny = x.sin()", "g = g * x.cos()"),
    "a number read": ("y = x * 2 if x[0, 0].item() == x[0, 0] else x", "g = 2 * g"),
}  # fmt: skip


@pytest.mark.parametrize("decorator", ["", "@torch.autograd.function.once_differentiable"])
@pytest.mark.parametrize("body", BODIES)
def test_a_custom_function_as_python_has_it(tmp_path: Path, body: str, decorator: str) -> None:
    forward, backward = (indent(text, " " * 8) for text in BODIES[body])
    text = f"""\
import torch


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = x
{forward}
        return y

    @staticmethod
    {decorator}
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
{backward}
        return g


torch.manual_seed(1)
x = torch.rand(3, 4, dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(F.apply, (x,))
"""
    kinds = assert_agreement(tmp_path, text)
    assert kinds == ({"gradcheck"} if "wrong" in body or "too many" in body else set())


@pytest.mark.parametrize("third", ["g * x", "None"])
@pytest.mark.parametrize("needs", [True, False])
def test_several_inputs_and_outputs(tmp_path: Path, third: str, needs: bool) -> None:
    assert_agreement(
        tmp_path,
        f"""
        import torch


        class F(torch.autograd.Function):
            @staticmethod
            def forward(x, y, power):
                return x * y, x + power * y

            @staticmethod
            def setup_context(ctx, inputs, output):
                x, y, ctx.power = inputs
                ctx.save_for_backward(x, y)

            @staticmethod
            def backward(ctx, g, h):
                x, y = ctx.saved_tensors
                gx = g * y + h
                gy = {third} if not ctx.needs_input_grad[1] else g * x + h * ctx.power
                return gx, gy, None


        x = torch.rand(3, dtype=torch.float64, requires_grad=True)
        y = torch.rand(3, dtype=torch.float64, requires_grad={needs})
        torch.autograd.gradcheck(F.apply, (x, y, 3))
        """,
    )


PLAIN = (
    "x.sin() * x.detach()", "x.sin() * x", "x.detach() + 0 * x", "torch.relu(x) ** 2",
    "torch.nn.functional.dropout(x, 0.5, False)", "torch.nn.functional.dropout(x)",
    "torch.nn.functional.dropout(x, training=False) + x",
)  # fmt: skip


@pytest.mark.parametrize("body", PLAIN)
def test_a_plain_function(tmp_path: Path, body: str) -> None:
    assert_agreement(
        tmp_path,
        f"""
        import torch

        x = torch.rand(3, dtype=torch.float64, requires_grad=True)
        torch.autograd.gradcheck(lambda x: {body}, (x,))
        """,
    )


def test_the_function_itself_may_fail(tmp_path: Path) -> None:
    kinds = assert_agreement(
        tmp_path,
        """
        import torch

        x = torch.rand(3, dtype=torch.float64, requires_grad=True)
        torch.autograd.gradcheck(lambda x: x.mul_(2), (x,))
        """,
    )
    assert kinds == {"leaf-inplace"}
