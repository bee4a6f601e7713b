"""GG103: state that outlives an iteration carries the last iteration's graph into this one's backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule
from .wording import worded

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure, Hop
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A backward that fails in the graph of an earlier iteration: stale there, or freed."""
    return failure.kind in ("stale-saved", "freed-graph") and failure.cause == "carried"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """What carries the graph, and what has happened to the tensors saved in it."""
    carrier = carrying(failure)
    # Only a freed graph is named by its carrier; a stale one is named by the tensor that was changed.
    name = carrier.name if carrier else failure.name if failure.kind == "freed-graph" else None
    freed = failure.kind == "freed-graph"
    saved = failure.saved
    return worded(
        "carried",
        locale,
        phrases.when(failure, locale),
        "carried-freed-label" if freed else "label-written",
        "detail-carried-freed" if freed else "detail-carried-stale",
        backward=phrases.backward(failure, locale),
        state=phrases.names(name, locale, "tensor-state", "tensor-state-short"),
        raises=phrases.certainly(failure, "will-raise", "may-raise", locale),
        made=phrases.beside(carrier.site, failure.site, locale) if carrier else "",
        saver=phrases.saver(failure, locale),
        tensor=phrases.tensor(saved.name if saved else None, locale),
        version=phrases.at_version(saved, locale),
        makes=phrases.makes(failure, locale),
        written=phrases.tensor(phrases.written_name(failure), locale),
        other=phrases.same_memory(failure, locale),
        versions=phrases.versions(failure.write, locale),
    )


def carrying(failure: Failure) -> Hop | None:
    """The station where the graph is kept beyond its iteration."""
    return next((hop for hop in failure.hops if hop.kind == "stored"), None)


RULE = Rule(
    code="GG103",
    name="carried-graph",
    kinds=("stale-saved", "freed-graph"),
    summary="State that outlives an iteration carries the last iteration's graph into this one's backward.",
    error=(
        "one of the variables needed for gradient computation has been modified by an inplace operation",
        "Trying to backward through the graph a second time",
    ),
    what="""\
Finds state that is computed with gradients in one iteration and used in the next, without being cut off:
the hidden state of a recurrent network, a memory, a running loss or score, a replay buffer, a target that
was computed before the loop.""",
    why="""\
A tensor that requires grad holds on to the graph that computed it. `hidden = output` carries that graph
into the next iteration, and the next `backward()` walks through both. What it meets in the old part:

- nodes that the last backward has freed: "Trying to backward through the graph a second time";
- or, with `retain_graph=True`, nodes that are kept, but whose saved weights `optimizer.step()` has changed
  since: "is at version 2; expected version 1 instead".

So it fails in the second iteration, or the third, at a line that went well in the first.

Often the assignment `hidden = output` is blamed, as if it were an operation in place. It is not: it only
binds a name, and no version moves. `retain_graph=True` is no cure either: it turns the first of the two
errors into the second, and where neither comes (no step between) every iteration is slower than the last,
since each backward walks through all of them. `detach()` is the cure: it gives the same values without the
graph. Where the gradient should reach back over several steps, add up their losses and call `backward()`
once for all of them.""",
    fails="""\
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
hidden = torch.zeros(1, 3)

for step in range(3):
    hidden = net(torch.randn(1, 3) + hidden)
    loss = hidden.pow(2).sum()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
""",
    works="""\
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
hidden = torch.zeros(1, 3)

for step in range(3):
    hidden = net(torch.randn(1, 3) + hidden.detach())
    loss = hidden.pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    limits="""\
State in containers with keys that are only known at run time (a dictionary of memories by user, say) is
followed as one value. State that a library outside the project keeps for the program is not seen.""",
    fixes="""\
Unsafe: `.detach()` where the state is carried over. It gives the same values, and the gradient no longer
reaches into earlier iterations. Without `retain_graph=True` it could not do so anyway; where it should,
`backward()` belongs behind the loop instead. Also unsafe: moving a forward that was computed once into the
loop.""",
    mend="unsafe",
    matches=matches,
    message=message,
)
