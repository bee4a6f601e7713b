"""GG205: a write in place to memory where elements overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A write that PyTorch refuses since elements share their place in memory."""
    return failure.kind == "overlap-write"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """What is written here, and what overlaps: its own elements, or the values that are written to it."""
    return phrases.at_once("overlap-read" if failure.detail == "input" else "overlap-write", failure, locale)


RULE = Rule(
    code="GG205",
    name="overlapping-write",
    kinds=("overlap-write",),
    summary="A tensor whose elements share one place in memory is changed in place.",
    error=(
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location",
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
        "memory location",
    ),
    what="""\
Finds a write in place to the result of `expand`, `expand_as`, `broadcast_to`, `broadcast_tensors` or
`meshgrid`, and a write whose values lie in the same memory, shifted: `x[1:] = x[:-1]`, `p.add_(p.t())`.""",
    why="""\
`expand` copies nothing. It gives a view with stride 0: a row that is shown four times is stored once. A
write to one of the four would show in all of them, and the result would depend on the order in which the
elements are written. PyTorch raises at once, with or without gradients; no version counter is involved.
An indexed write (`mask[[0]] = 1`) is let through with a warning, and refused where a gradient flows to
what was expanded, by `backward()`.

It is the same with `x[1:] = x[:-1]`, which reads what it has just written.

`repeat`, or `expand(…).clone()`, gives each element a place of its own.""",
    fails="""\
import torch

causal = torch.ones(3, 3).triu(1)
mask = causal.expand(2, 3, 3)
mask += torch.eye(3)
""",
    works="""\
import torch

causal = torch.ones(3, 3).triu(1)
mask = causal.expand(2, 3, 3).clone()
mask += torch.eye(3)
""",
    limits="""\
`zero_`, `fill_`, `masked_fill_` and `x[i] = number` write the same value everywhere, are accepted by
PyTorch and not reported. An expansion to the same size overlaps nothing: where sizes are not known, the
message says what it assumes. Overlaps made with `as_strided` and `unfold` are not detected by PyTorch
either.""",
    fixes="""\
Safe: `.clone()` on the expanded tensor or on the values that are read, or the operation out of place.
Nothing that PyTorch would have accepted changes its meaning. Unsafe: the same for an indexed write, which
has changed what was expanded.""",
    matches=matches,
    message=message,
)
