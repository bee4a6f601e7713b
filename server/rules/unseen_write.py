"""GG111: a saved tensor is changed where its version counter cannot see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import phrases
from .rule import Rule
from .wording import worded

if TYPE_CHECKING:
    from ..analyses.domain.report import Failure
    from .messages import Locale
    from .wording import Wording


def matches(failure: Failure) -> bool:
    """A saved tensor whose content, but not whose version, has changed."""
    return failure.kind == "silent-stale" and failure.cause != "function"


def message(failure: Failure, locale: Locale = "en") -> Wording:
    """What is changed unseen here, and which operation saved it."""
    write = failure.write
    located = write is not None or failure.site != failure.backward
    return worded(
        "silent" if located else "silent-somewhere",
        locale,
        phrases.when(failure, locale),
        "silent-label" if located else "related-reads",
        "detail-silent" if located else "detail-silent-somewhere",
        backward=phrases.backward(failure, locale),
        tensor=phrases.names(phrases.needed_name(failure), locale),
        place=phrases.where(write.site if write else failure.site, failure.site, locale),
        wrong=phrases.certainly(failure, "wrong", "maybe-wrong", locale),
        saver=phrases.saver(failure, locale),
        version=phrases.at_version(failure.saved, locale),
        via=phrases.how(phrases.what_changes(write) if write else failure.via, locale),
        reader=phrases.reader(failure, locale),
    )


RULE = Rule(
    code="GG111",
    name="unseen-write",
    kinds=("silent-stale",),
    summary="A saved tensor is changed where its version counter cannot see it: wrong gradients without an error.",
    error=(),
    what="""\
Finds a change of a saved tensor that moves no version counter: through `.data`, through a NumPy array or
a DLPack tensor that shares its memory, through a piece of `unsafe_split` or `unsafe_chunk`, by
`vector_to_parameters`, or by an optimizer with `fused=True` on the CPU.""",
    why="""\
The check that protects gradients compares version counters, not numbers. `x.data` shares the memory of
`x`, but has a counter of its own. In the example `x * x` saves `x` at version 0; the write goes to the
same memory, the counter of `x` stays at 0, and `backward()` finds nothing wrong. It multiplies with the
new values: the gradient is 4 where it should be 2. Nothing is raised, and the training is wrong.

`.data` is often recommended as the cure for "modified by an inplace operation". It does not cure it, it
disconnects the alarm. Before anything has saved the tensor, or after backward, it is harmless; so is
`with torch.no_grad():` there, which keeps the alarm connected.""",
    fails="""\
import torch

x = torch.ones(3, requires_grad=True)
y = x * x
x.data += 1
y.sum().backward()
print(x.grad)
""",
    works="""\
import torch

x = torch.ones(3, requires_grad=True)
y = x * x
y.sum().backward()
with torch.no_grad():
    x += 1
print(x.grad)
""",
    limits="""\
A write to a NumPy array is seen where the array and the tensor meet in the replayed text. Whether a value
has in fact changed is not known: writing the same numbers again is harmless, and reported.""",
    fixes="""\
Safe: copying what is saved, at the operation that saves it. Unsafe: copying where the second name arises,
`.detach().clone()` for `.data` and `.copy()` on the NumPy array: the tensor then no longer sees the write,
which may have been its purpose.""",
    matches=matches,
    message=message,
)
