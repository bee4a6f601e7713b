"""GG601: `copy.deepcopy` of a tensor that is the result of an operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A deepcopy that reaches a non-leaf."""
    return failure.kind == "deepcopy-nonleaf"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """Which tensor is copied, and which operation made it."""
    return phrases.at_once("deepcopy-nonleaf", failure, locale, "deepcopy-nonleaf-label", result=phrases.result(locale))


RULE = Rule(
    code="GG601",
    name="deepcopy-nonleaf",
    kinds=("deepcopy-nonleaf",),
    summary="copy.deepcopy reaches a tensor that requires grad and is not a leaf.",
    error=("Only Tensors created explicitly by the user",),
    what="""\
Finds `copy.deepcopy` of a tensor that an operation computed with gradients, or of a list, dictionary,
object or module that holds one.""",
    why="""\
A deep copy of such a tensor would need a copy of the graph that computed it. PyTorch does not make one, and
raises at once.

`deepcopy` is sometimes recommended as the cure for "modified by an inplace operation". It works there for
leaves and plain data, and only for them. `clone()` works always: it gives memory of its own with a version
counter of its own, and the gradient flows through it. `detach().clone()` gives the values without the
graph, which is what a snapshot, a log or a replay buffer needs.""",
    fails="""\
import copy

import torch

x = torch.ones(3, requires_grad=True)
hidden = x * 2
best = copy.deepcopy(hidden)
""",
    works="""\
import copy

import torch

x = torch.ones(3, requires_grad=True)
hidden = x * 2
best = hidden.detach().clone()
weights = copy.deepcopy(x)
""",
    limits="""\
What an object of a class outside the project holds is not known, and not reported.""",
    fixes="""\
Unsafe: `.detach().clone()` for `copy.deepcopy(…)`: the copy has no graph. Where its gradient is wanted,
`.clone()` is right.""",
    mend="unsafe",
    matches=matches,
    message=message,
)
