"""Losses that change their result in place before they give it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain.values import ListV
from ..call import Call, Family
from .names import functional, functions, modules

if TYPE_CHECKING:
    from ...autograd.gradients import Times
    from ..interpreter import Interpreter


def full(m: Interpreter, call: Call) -> Times | None:
    """A loss to which a constant is added in place where it is to be full."""
    whole, reduction = call.option(m, "full", False), call.option(m, "reduction", "mean")
    known = isinstance(whole, bool) and isinstance(reduction, str)
    return (int(whole is True and reduction == "none"),) * 2 if known else None


def clamped(m: Interpreter, call: Call) -> Times | None:
    """A loss that is clamped in place, and then reduced to a new tensor."""
    reduction = call.option(m, "reduction", "mean")
    return (int(reduction == "none"),) * 2 if isinstance(reduction, str) else None


def clusters(m: Interpreter, call: Call) -> Times | None:
    """What each cluster has found of its own labels is copied there, if there are such, and then the head's added."""
    cutoffs = call.option(m, "cutoffs", None)
    given = m.state.tuple_of(cutoffs.items) if isinstance(cutoffs, ListV) else cutoffs
    return 1, (1 + len(given) if isinstance(given, tuple) else None)


FAMILIES = {
    (*functions("poisson_nll_loss"), *functional("gaussian_nll_loss poisson_nll_loss")): Family(writes=full),
    modules("GaussianNLLLoss PoissonNLLLoss"): Family(writes=full),
    (
        *functions("margin_ranking_loss"),
        *functional("margin_ranking_loss"),
        *modules("MarginRankingLoss"),
    ): Family(writes=clamped),
    modules("AdaptiveLogSoftmaxWithLoss"): Family(writes=clusters, always=True),
}
