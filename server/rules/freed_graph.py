"""GG301: backward goes through a graph whose saved tensors are freed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .messages import Locale, say
from .rule import Rule
from .wording import worded

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A second backward, but for one into an earlier iteration's graph (GG103)."""
    return failure.kind == "freed-graph" and failure.cause != "carried"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """Which operation's saved tensors are gone, and which backward freed them."""
    freed = phrases.origin(failure)
    known = freed is not None and freed.site != failure.site
    freer = say("backward-at", locale, place=phrases.place(freed.site, failure.site, locale)) if freed and known else ""
    return worded(
        "freed-graph",
        locale,
        phrases.when(failure, locale),
        "freed-graph-label",
        "detail-freed-graph",
        backward=phrases.backward(failure, locale),
        raises=phrases.certainly(failure, "will-raise", "may-raise", locale),
        freer=freer or say("freer-unknown", locale),
        saver=phrases.saver(failure, locale),
        op=phrases.saving_op(failure, locale),
    )


RULE = Rule(
    code="GG301",
    name="freed-graph",
    kinds=("freed-graph",),
    summary="Backward goes through a graph whose saved tensors an earlier backward has freed.",
    error=("Trying to backward through the graph a second time",),
    what="""\
Finds a second `backward()` or `autograd.grad()` through the same part of a graph, where the first one did
not keep it: the same loss twice, two losses that share a part, a graph that is built once before a loop.""",
    why="""\
To save memory a backward frees what the nodes on its way have saved. A second one that comes by finds them
empty: there is no version to compare any more, since there is no tensor.

In the example `exp` saved its result. The first `backward()` used and freed it, the second one needs it
again. The ways out, the best one first: add up the losses and call `backward()` once; run the shared part
again for the second loss; keep the graph with `retain_graph=True` on every backward but the last.

`retain_graph=True` is right within one iteration, for two losses of one forward. Where the graph is that
of an earlier iteration, it only puts the error off (GG103); and the kept tensors are still checked, so a
`step()` between the two makes them stale (GG102).

A part that saved nothing (`+`, `sum`, slicing) may be walked twice, which is why such code sometimes runs,
until somebody adds a multiplication.""",
    fails="""\
import torch

x = torch.ones(3, requires_grad=True)
hidden = x.exp()
first = hidden.sum()
second = (hidden * 2).sum()
first.backward()
second.backward()
""",
    works="""\
import torch

x = torch.ones(3, requires_grad=True)
hidden = x.exp()
first = hidden.sum()
second = (hidden * 2).sum()
(first + second).backward()
""",
    limits="""\
Whether a node outside the known part of PyTorch holds saved tensors is not known; it is taken to hold
none.""",
    fixes="""\
Unsafe: `retain_graph=True` on the earlier backward. It gives the gradients that were meant, and keeps the
memory of the graph for longer; adding up the losses is often better, and only the author can tell. Also
unsafe: building the graph anew in each iteration of the loop.""",
    mend="unsafe",
    matches=matches,
    message=message,
)
