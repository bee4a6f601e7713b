"""GG501: a custom `autograd.Function` breaks its contract with autograd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule
from .wording import worded

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording

DETAILS = {
    "dirty-leaf": "function-dirty-leaf",
    "dirty-lost": "function-dirty-lost",
    "gradient-count": "function-gradient-count",
}
"""what a failure's `detail` names, and the sentence about it"""

SILENT = {"unmarked": "function-unmarked", "kept": "function-kept"}
"""the same of one that raises nothing"""


def matches(failure: Failure) -> bool:
    """A failure that a custom Function causes and no operation of PyTorch's own could."""
    return failure.cause == "function" and failure.kind in ("stale-saved", "silent-stale", "other")


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """Which part of the contract is broken here."""
    if failure.kind == "stale-saved":
        return phrases.stale(failure, locale, "detail-stale-function")
    if failure.kind == "silent-stale":
        return silent(failure, locale)
    numbers = {key: str(failure.facts[key]) for key in ("given", "taken") if key in failure.facts}
    key = DETAILS.get(failure.detail, "function-contract")
    return phrases.at_once(key, failure, locale, "function-label", **numbers, leaf=phrases.leaf(failure, locale))


def silent(failure: Failure, locale: Locale) -> Wording:
    """What is changed here without being marked as dirty, or is kept outside `save_for_backward`."""
    key = SILENT.get(failure.detail, "function-unmarked")
    return worded(
        key,
        locale,
        phrases.when(failure, locale),
        "label-changes",
        f"detail-{key}",
        wrong=phrases.certainly(failure, "wrong", "maybe-wrong", locale),
        tensor=phrases.names(failure.name, locale, "tensor-this"),
        via=phrases.how(failure.via, locale),
        saver=phrases.saver(failure, locale),
        kept=phrases.tensor(failure.saved.role if failure.saved else None, locale),
    )


RULE = Rule(
    code="GG501",
    name="custom-function-contract",
    kinds=("stale-saved", "silent-stale", "other"),
    summary="A custom autograd.Function breaks its contract with autograd.",
    error=(
        "one of the variables needed for gradient computation has been modified by an inplace operation",
        "a leaf Variable that requires grad has been used in an in-place operation",
        "elements marked as dirty during the forward method were not returned as output",
        "returned an incorrect number of gradients",
    ),
    what="""\
Finds custom `torch.autograd.Function`s that

- change an input in place that an operation before them has saved,
- change an input in place without `ctx.mark_dirty`: what reads it afterwards gets a wrong gradient; where nothing
  does, that is a hint,
- keep a tensor as an attribute of `ctx` that is changed before `backward` reads it,
- mark a leaf that requires grad with `ctx.mark_dirty`, or a tensor that `forward` does not return,
- return another number of gradients from `backward` than `forward` got inputs.""",
    why="""\
Inside `forward` nothing is recorded; autograd knows of it only what `ctx` is told.

- A change in place moves the version counter of the input, as everywhere. In the example `exp` saved that
  very tensor at version 0, and its backward finds version 1. Where nothing had saved it, `ctx.mark_dirty(x)`
  and returning `x` make the change known; without that, the gradient of everything that reads `x`
  afterwards is wrong, and nothing is raised.
- `ctx.save_for_backward(y)` notes the version of `y`, and backward checks it. `ctx.y = y` notes nothing: a
  change before backward goes unseen (like GG111), and an output that is kept this way is never freed.""",
    fails="""\
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x *= 2
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(3, requires_grad=True)
y = Double.apply(x.exp())
y.sum().backward()
""",
    works="""\
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(3, requires_grad=True)
y = Double.apply(x.exp())
y.sum().backward()
""",
    limits="""\
A `backward` that computes another derivative is not found, unless the program has `gradcheck` check it (GG403).
Kernels that a `forward` calls outside of PyTorch are taken to change none of their arguments. An input that is changed
without `ctx.mark_dirty` is let go where `backward` hands the gradient on as it came.""",
    fixes="""\
Safe: computing the result out of place, or a copy of what is changed, in the function or before it. The
other ways, `ctx.mark_dirty` and `ctx.save_for_backward`, are left to the author.""",
    matches=matches,
    message=message,
)
