"""Ask PyTorch what happens to a tensor that is passed as `out=` where gradients are recorded.

Each call is made twice with an `out=` that requires grad: one that has a grad_fn, and a leaf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch

from .probe import RAISED, fresh, may_require_grad, results
from .samples import call

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model import Case, OutGraph
    from .catalogue import Entry
    from .condense import Sample
    from .samples import Arguments

REFUSED = "don't support automatic differentiation"
LEAF = "a leaf Variable that requires grad"

Outcome = Literal["refused", "leaf", "joins", "unseen"]


def graph(entry: Entry, cases: Sequence[Case], samples: Iterable[Sample]) -> OutGraph:
    """Return what all samples show, `depends` if they disagree.

    If none shows anything: `refused`, as is usual where gradients flow, otherwise `unseen`.
    """
    shown: set[OutGraph] = set()
    for sample in samples:
        arguments = {name: value for name, value in sample.arguments.items() if name != "out"}
        try:
            made = results(call(entry, fresh(arguments, grad=False)))
        except RAISED:
            continue
        inner, leaf = (_outcome(entry, arguments, made, leaf=leaf) for leaf in (False, True))
        if inner == "joins":
            shown.add("joins" if leaf == "leaf" else "joins, no leaf")
        elif inner == "refused" or inner == "unseen":
            shown.add(inner)
    if len(shown) > 1:
        return "depends"
    return shown.pop() if shown else "refused" if any(case.flows for case in cases) else "unseen"


def is_one(entry: Entry, samples: Iterable[Sample]) -> bool:
    """Return whether an in-place callable hands what it writes on as `out=`: that is refused where it requires grad."""
    return any(_is_refused(entry, fresh(sample.arguments, grad=True)) for sample in samples)


def _is_refused(entry: Entry, arguments: Arguments) -> bool:
    try:
        call(entry, arguments)
    except RAISED as error:
        return REFUSED in str(error)
    return False


def _outcome(entry: Entry, arguments: Arguments, made: Sequence[torch.Tensor], *, leaf: bool) -> Outcome | None:
    """Return what happens to an `out=` like `made` that requires grad; None if the call raises another error."""
    out = [(t if may_require_grad(t) else t.float()).detach().clone().requires_grad_() for t in made]
    out = out if leaf else [t.clone() for t in out]
    before = [t.grad_fn for t in out]
    torch.manual_seed(0)
    try:
        call(entry, {**fresh(arguments, grad=False), "out": out[0] if len(out) == 1 else tuple(out)})
    except RAISED as error:
        return "refused" if REFUSED in str(error) else "leaf" if LEAF in str(error) else None
    return "joins" if any(t.grad_fn is not fn for t, fn in zip(out, before, strict=True)) else "unseen"
