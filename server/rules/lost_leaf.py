"""GG302: `.grad` of a tensor that is no leaf is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A read of a `.grad` that backward never fills."""
    return failure.kind == "nonleaf-grad"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """Whose gradient is read, and which operation made it a result."""
    none = phrases.certainly(failure, "is-none", "maybe-none", locale)
    result = phrases.result(locale)
    return phrases.at_once("nonleaf-grad", failure, locale, "nonleaf-grad-label", none=none, result=result)


RULE = Rule(
    code="GG302",
    name="lost-leaf",
    kinds=("nonleaf-grad",),
    summary="The gradient of a tensor is read that is not a leaf: it is None.",
    error=("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed",),
    what="""\
Finds a read of `.grad` on a tensor that is the result of an operation. Mostly the name once was that of a
leaf, and was bound to a result since: `w = w * 2`, `w = w.to(device)`,
`w = torch.randn(3, requires_grad=True) / 10`.""",
    why="""\
Backward keeps gradients for leaves only: `.grad` of a result is None, and PyTorch only warns. Arithmetic
on the None then fails somewhere else, or an update is skipped in silence.

`w = w * 2` changes nothing in place, and moves no version. It makes a new tensor and gives it the old name;
the leaf still exists and gets its gradient, but no name leads to it any more.

Give the result a name of its own; or compute first, and make the leaf from what comes out, with
`detach().requires_grad_()`; or update under `no_grad`. If it is the result's gradient that you want, call
`w.retain_grad()` before the backward.""",
    fails="""\
import torch

w = torch.ones(3, requires_grad=True)
w = w * 2
w.sum().backward()
print(w.grad)
""",
    works="""\
import torch

w = torch.ones(3, requires_grad=True)
doubled = w * 2
doubled.sum().backward()
print(w.grad)
""",
    limits="""\
A `.grad` that is read to see whether it is None is reported, too. `w.to(device)` gives `w` itself where
nothing changes: it is taken to do so where the device is not known.""",
    fixes="""\
Unsafe, all of them: another name for the result, an update in place under `no_grad`, `requires_grad_()`
on what comes out, or `retain_grad()`. Each gives a gradient; whose it should be only the author can tell.""",
    mend="unsafe",
    matches=matches,
    message=message,
)
