"""GG102: parameters are updated between a forward and a backward that still needs their old values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A stale saved tensor that an update of parameters made stale."""
    return failure.kind == "stale-saved" and failure.cause == "update"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """What updates which parameter here, and which operation saved it."""
    return phrases.stale(failure, locale)


RULE = Rule(
    code="GG102",
    name="step-before-backward",
    kinds=("stale-saved",),
    summary="Parameters are updated between a forward and a backward that still needs their old values.",
    error=("one of the variables needed for gradient computation has been modified by an inplace operation",),
    what="""\
Finds an update of parameters that comes too early: between the forward that used them and a `backward()`
that goes through it. Updates are `optimizer.step()`, a manual update under `no_grad`, clipping or
re-initialising weights, moving averages, and `load_state_dict()`.

The usual shapes are two losses with two optimizers: a GAN whose generator loss was computed before the
discriminator's step, an actor and a critic, an auxiliary loss that shares the encoder.""",
    why="""\
`optimizer.step()` writes the new values into the parameters, which adds one or more to their version
counters. `no_grad` hides the write from the graph, not from the counter. A layer's backward needs the
weight that its forward used: in the example `linear` saved `head.weight` at version 0, for the gradient of
`features`. After the step it is at version 1, and the second `backward()` raises: "is at version 1;
expected version 0 instead".

The message speaks of "an inplace operation", and no line of the program looks like one: it is the step.
The order that works is: all the backwards through a forward first, the step after them; or a new forward
after the step. `retain_graph=True` on the first backward is no cure: it keeps the graph, but the weights
in it have changed all the same.

"Downgrade PyTorch" is advice from the days of release 1.5: until then optimizers wrote through `.data`,
past the counter, and such programs ran with wrong gradients.

The first layer of a network is often spared: with plain data as input nothing needs the gradient of that
input, so `linear` does not save the weight.""",
    fails="""\
import torch

torch.manual_seed(0)
encoder = torch.nn.Linear(4, 4)
head = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)

features = encoder(torch.randn(8, 4))
first = head(features).mean()
second = head(features).pow(2).mean()

first.backward(retain_graph=True)
optimizer.step()
second.backward()
""",
    works="""\
import torch

torch.manual_seed(0)
encoder = torch.nn.Linear(4, 4)
head = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)

features = encoder(torch.randn(8, 4))
first = head(features).mean()
second = head(features).pow(2).mean()

first.backward(retain_graph=True)
second.backward()
optimizer.step()
""",
    limits="""\
An optimizer whose parameters are not known (made by a function outside the project) is taken to own none.
With `fused=True` on the CPU the step moves no version counter: PyTorch does not notice, and the gradients
are wrong; that is GG111.""",
    fixes="""\
Unsafe: moving `step()` behind the last backward that needs the old weights, or running the forward again
after it; both change what is computed, and the title says how. Copying the weight where it is saved, or
before it is changed, is safe where it is offered.""",
    mend="unsafe",
    matches=matches,
    message=message,
)
