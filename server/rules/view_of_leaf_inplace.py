"""GG202: a leaf that requires grad is changed in place through a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A write to a view whose base is a leaf."""
    return failure.kind == "view-of-leaf-inplace"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """Which leaf is changed, through which view."""
    leaf, in_place = phrases.leaf(failure, locale), phrases.in_place(locale)
    return phrases.at_once("view-of-leaf-inplace", failure, locale, in_place=in_place, leaf=leaf)


RULE = Rule(
    code="GG202",
    name="view-of-leaf-inplace",
    kinds=("view-of-leaf-inplace",),
    summary="A leaf that requires grad is changed in place through a view, with grad mode on.",
    error=("a view of a leaf Variable that requires grad is being used in an in-place operation",),
    what="""\
Finds a change in place of a leaf that requires grad through one of its views: `w[0] = 1`, `w[0] += 1`,
`w.view(-1).mul_(2)`, a write to `w.expand(…)` or `w.t()`, while grad mode is on.""",
    why="""\
A view is another look at the same memory: it shares the version counter of its base, and a write to the
view is a write to the base. If the base is a leaf, the write would turn the leaf into a result, just as a
write to the leaf itself would (GG201), and PyTorch refuses at once.

`w[0] = 1` looks like the change of a list. For PyTorch it is: make the view `w[0]`, then write into it.""",
    fails="""\
import torch

weight = torch.ones(3, 2, requires_grad=True)
weight[0] = 0.0
loss = weight.pow(2).sum()
loss.backward()
""",
    works="""\
import torch

weight = torch.ones(3, 2, requires_grad=True)
masked = weight.clone()
masked[0] = 0.0
loss = masked.pow(2).sum()
loss.backward()
""",
    limits="""\
`reshape`, `flatten` and `contiguous` give a view or a copy, depending on the memory's layout. Where the
layout is not known the finding is a hint.""",
    fixes="""\
Unsafe, all of them, as only the author can tell which is meant: `with torch.no_grad():` around the change,
which is right for an initialisation or an update and wrong for a computation; or a changed copy under the
leaf's name, which optimizers do not see.""",
    mend="unsafe",
    matches=matches,
    message=message,
)
