"""GG204: a view made without grad mode is changed in place with grad mode on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A write to a view that was made under `no_grad`."""
    return failure.kind == "no-grad-view-inplace"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """Which view is changed, and where it was made."""
    if failure.detail.startswith("multi_output"):  # of a tensor without grad, which PyTorch treats alike
        return phrases.of_several(failure, locale)
    return phrases.at_once("no-grad-view-inplace", failure, locale)


RULE = Rule(
    code="GG204",
    name="no-grad-view-inplace",
    kinds=("no-grad-view-inplace",),
    summary="A view made under no_grad is changed in place with grad mode on.",
    error=(
        "A view was created in no_grad mode",
        "A view was created in inference mode",
        "is a view of a view which was created in no_grad mode",
        "is a view of a view which was created in inference mode",
    ),
    what="""\
Finds a change in place, grad mode on, of a view that was made while grad mode was off: the view was taken
inside `with torch.no_grad():` or `with torch.inference_mode():` (or in a function decorated with one of them), the
write is outside.""",
    why="""\
With grad mode on, a write to a view is recorded on its base too, since both share their memory and their
version counter. But this view was made while nothing was recorded: its base does not know of it as an
operation. Is the write meant to be seen by autograd, then, or not? PyTorch does not guess, and raises.

Make the view and the write on the same side: both inside `no_grad` (nothing is recorded, the version still
moves), or both outside.""",
    fails="""\
import torch

x = torch.ones(3, requires_grad=True)
hidden = x * 2
with torch.no_grad():
    first = hidden[0]
first += 1
hidden.sum().backward()
""",
    works="""\
import torch

x = torch.ones(3, requires_grad=True)
hidden = x * 2
first = hidden[0]
first += 1
hidden.sum().backward()
""",
    limits="""\
Views of tensors without a gradient may be written freely, and are not reported.""",
    fixes="""\
Safe: the operation out of place, or `.clone()` before the write, where the base need not see it; else
unsafe. Also unsafe: `with torch.no_grad():` around the write, which keeps it out of the graph.""",
    matches=matches,
    message=message,
)
