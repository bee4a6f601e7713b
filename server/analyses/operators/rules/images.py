"""Pooling, padding and scaling of images and signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..call import Call, Family
from .names import functional, functions, modules

if TYPE_CHECKING:
    from ...autograd.gradients import Times
    from ..interpreter import Interpreter


def max_pool(m: Interpreter, call: Call) -> Times:
    """Without a gradient to come, a batch of one is made for a signal without a batch, and taken off in place."""
    g, given = call.layout(), call.given()
    needs = m.grad.requires_grad(given[0]) if given and m.grad.grad_mode else False
    if needs is True or call.option(m, "return_indices", False) is True or (g is not None and g.ndim != 2):
        return 0, 0
    return (0 if g is None or needs is not False else 1), 1


def circular_pad(m: Interpreter, call: Call) -> Times | None:
    """The middle is copied into the result, and then each margin."""
    pad = call.option(m, "pad", None)
    if not isinstance(pad, tuple) or not all(isinstance(n, int) for n in pad):
        return None
    return (1 + sum(isinstance(n, int) and n > 0 for n in pad),) * 2


def upsampled(m: Interpreter, call: Call) -> Times:
    """Of a batch of images, what comes out is put into the order of the input (`native/UpSampleNearest2d.cpp`)."""
    g = call.layout()
    return (0, 1) if g is None else (int(g.ndim == 4),) * 2


FAMILIES = {
    (*functions("max_pool1d"), *functional("max_pool1d"), *modules("MaxPool1d")): Family(
        writes=max_pool, always=True, unseen_writes=max_pool
    ),
    functional("pad"): Family(writes=circular_pad),
    modules("UpsamplingNearest2d"): Family(unseen_writes=upsampled),
}
