"""GG402: an integer or bool tensor is to require grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .messages import Locale, say
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A `requires_grad` that the tensor's dtype does not allow."""
    return failure.kind == "requires-grad-dtype"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """Which tensor it is, and of which dtype."""
    dtype = say("quote", locale, text=failure.detail) if failure.detail else say("integer", locale)
    return phrases.at_once("requires-grad-dtype", failure, locale, "requires-grad-label", dtype=dtype)


RULE = Rule(
    code="GG402",
    name="integer-requires-grad",
    kinds=("requires-grad-dtype",),
    summary="An integer or bool tensor is to require grad.",
    error=("nly Tensors of floating point",),
    what="""\
Finds `requires_grad=True`, `requires_grad_()` and `nn.Parameter` on a tensor of an integer type or bool:
`torch.tensor([1, 2, 3], requires_grad=True)`, `torch.arange(3, requires_grad=True)`,
`torch.randint(…, requires_grad=True)`.""",
    why="""\
A gradient says what a small change of a value does; an integer has no small changes. Only floating point
and complex tensors can require grad, so PyTorch raises at once. No version counter is involved.

`torch.tensor([1, 2, 3])` takes its dtype from the numbers: with `1.` it is a floating point tensor. Labels
and indices need no gradient, and should stay integers: for them, leave `requires_grad` out.""",
    fails="""\
import torch

x = torch.tensor([1, 2, 3], requires_grad=True)
""",
    works="""\
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
""",
    limits="""\
Tensors whose dtype is not known are not reported.""",
    fixes="""\
Unsafe: a floating point dtype where the tensor is made, or `requires_grad` left out. Which of them is meant
only the author can tell.""",
    mend="unsafe",
    matches=matches,
    message=message,
)
