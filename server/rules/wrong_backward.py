"""GG403: `gradcheck` runs on a function whose backward computes another derivative, or not twice the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording

DETAILS = {"backward": "gradcheck-backward", "random": "gradcheck-random"}
"""what a failure's `detail` names, and the sentence about it"""


def matches(failure: Failure) -> bool:
    """A gradcheck that fails because of what the function does, in any precision."""
    return failure.kind == "gradcheck" and failure.cause == "function"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """What is checked here, and what is wrong with its backward."""
    key = DETAILS[failure.detail or "backward"]
    call = failure.via or phrases.call_name(failure.site)
    fails = phrases.certainly(failure, "will-fail", "may-fail", locale)
    return phrases.at_once(key, failure, locale, "gradcheck-label", call=call, fails=fails)


RULE = Rule(
    code="GG403",
    name="wrong-backward",
    kinds=("gradcheck",),
    summary="gradcheck runs on a function whose backward computes another derivative.",
    error=("Jacobian mismatch for output", "Backward is not reentrant"),
    what="""\
Finds `torch.autograd.gradcheck` and `gradgradcheck` of functions, mostly the `apply` of a custom
`torch.autograd.Function`, whose backward

- computes something else than the derivative of what forward computes,
- draws random numbers, so that it gives another gradient the second time.""",
    why="""\
`gradcheck` moves each input a little and compares the change of the result with the gradient of backward. A
factor of the chain rule that was forgotten, a sign, or a `detach()` on the way makes the two differ: "Jacobian
mismatch". It also runs backward twice, and wants the same gradient both times: "Backward is not reentrant".

GradGuard evaluates the function at a few points, its backward too, and tells where the two clearly differ. No
version counter is involved: outside of `gradcheck` such a function trains with a wrong gradient, and nothing is
raised.""",
    fails="""\
import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x * grad


x = torch.rand(4, dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(Cube.apply, (x,))
""",
    works="""\
import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad


x = torch.rand(4, dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(Cube.apply, (x,))
""",
    limits="""\
The function is evaluated on tensors that are full of one number each. Where that does not tell what it gives
(data from outside, sorting, weights of a layer), nothing is told; a backward that is wrong for some elements
alone, and right on the whole where all are alike, is not found.""",
    fixes="""\
None: what the derivative should be, only the author knows.""",
    mend="none",
    matches=matches,
    message=message,
)
