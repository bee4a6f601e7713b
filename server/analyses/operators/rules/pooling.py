"""Adaptive pooling to one number a channel: the mean, which saves nothing (`native/AdaptiveAveragePooling.cpp`).

x += nn.AdaptiveAvgPool2d(1)(x)     # harmless, where one to 2 × 2 numbers fails: that saves x
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..call import Call, Family
from ..cases import by_conditions, one_or_more
from .names import functional, functions, modules

if TYPE_CHECKING:
    from ....facts.model import Case, Op
    from ..interpreter import Interpreter


def mean_of_all(m: Interpreter, op: Op, call: Call) -> Case | None:
    """The case of an output of size 1 in each dimension; None for others."""
    sizes = one_or_more(m, call.option(m, "output_size", None))
    if not sizes or any(n != 1 for n in sizes):
        return None
    return replace(by_conditions(op, call), saves=(), node="MeanBackward1")


FAMILIES = {
    (
        *functions("adaptive_avg_pool1d"),
        *functional("adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d"),
        *modules("AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d"),
    ): Family(case=mean_of_all),
}
