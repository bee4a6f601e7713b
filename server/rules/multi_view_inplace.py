"""GG203: one of several views that one call made, or their base, is changed in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A write to a view that PyTorch refuses, or to its base."""
    return failure.kind == "multi-view-inplace"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """What is changed here, and which call made the views."""
    if failure.cause == "function" or failure.detail.startswith("custom"):
        return phrases.at_once("function-view-inplace", failure, locale)
    return phrases.of_several(failure, locale)


RULE = Rule(
    code="GG203",
    name="multi-view-inplace",
    kinds=("multi-view-inplace",),
    summary="One of several views that one call made, or their base, is changed in place.",
    error=(
        "is a view and is being modified inplace",
        "is a view and its base or another view of its base has been modified inplace",
    ),
    what="""\
Finds a change in place of a piece that came out of `unbind`, `split`, `chunk` or `for row in tensor`, where
a gradient is involved, and a change of the tensor that was split while its pieces are still used. The
same holds for a view that a custom Function returned, and for what goes in and out of a module with a full
backward hook.""",
    why="""\
After a change of a view in place PyTorch rewrites history: the base becomes the result of the change, and
every view of it is computed anew from there. For that it needs to know, for each view, the one operation
that made it from the base. A call that returns several views has one node for all of them, and this cannot
be taken apart. So PyTorch refuses the write ("Output 0 of UnbindBackward0 is a view and is being modified
inplace"); if the base is written instead, it refuses the next use of a piece.

Indexing makes one view a call: `x[0]`, `x[:, :2]` and `x.select(0, 1)` may be changed in place. So may
`x.clone()`, and anything out of place is legal always.""",
    fails="""\
import torch

x = torch.randn(3, 4, requires_grad=True)
qkv = x * 2
q, k, v = qkv.unbind(0)
q *= 0.5
(q * k + v).sum().backward()
""",
    works="""\
import torch

x = torch.randn(3, 4, requires_grad=True)
qkv = x * 2
q, k, v = qkv.unbind(0)
q = q * 0.5
(q * k + v).sum().backward()
""",
    limits="""\
Whether a gradient is involved may depend on the caller; the message then says so. The order of a write to
the base and the next use of a piece is followed within the replayed text only.""",
    fixes="""\
Safe: the operation out of place, `.clone()` on the piece, or taking the rows by index instead of by
iteration. Where the base is read afterwards, and would no longer see the change, the first two are unsafe.""",
    matches=matches,
    message=message,
)
