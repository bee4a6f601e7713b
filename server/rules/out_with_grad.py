"""GG206: `out=` where a tensor requires grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A call with `out=` that autograd refuses."""
    return failure.kind == "out-grad"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """What is written with `out=` here."""
    return phrases.at_once("out-grad", failure, locale, "out-grad-label")


RULE = Rule(
    code="GG206",
    name="out-with-grad",
    kinds=("out-grad",),
    summary="A function is called with out= while one of its tensors requires grad.",
    error=("functions with out=... arguments don't support automatic differentiation",),
    what="""\
Finds a call with `out=` in grad mode where an input or the output tensor requires grad.""",
    why="""\
`out=` writes a result into a tensor that exists already. Autograd has no record of such a write: the
output's history would have to be replaced by that of the call. PyTorch does not offer it and raises at
once.

Under `no_grad`, or with plain tensors, `out=` is legal; it is still a change in place, and adds one to the
version of the tensor that it writes to (GG101 where something saved that).""",
    fails="""\
import torch

weight = torch.ones(2, 2, requires_grad=True)
buffer = torch.empty(2, 2)
torch.mm(weight, weight, out=buffer)
""",
    works="""\
import torch

weight = torch.ones(2, 2, requires_grad=True)
buffer = torch.mm(weight, weight)
buffer.sum().backward()
""",
    limits="""\
Whether an argument of a function requires grad may depend on its callers. Whoever writes `out=` expects none that
does, so it is a hint there, unless a module is trained with it; the message says what it rests on.""",
    fixes="""\
Safe: `buffer = torch.mm(…)` for `torch.mm(…, out=buffer)`. It is unsafe where another name reads the
result in the old memory afterwards.""",
    matches=matches,
    message=message,
    unrecorded=True,
)
