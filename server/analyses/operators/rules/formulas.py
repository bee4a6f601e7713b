"""What operators make of numbers, by the last part of their names: `torch.exp` and `Tensor.exp_` compute the same.

With these a function of the program is evaluated on tensors that are full of one number each (`../numbers.py`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ELEMENTWISE: dict[str, Callable[..., float]] = {
    "neg": lambda x: -x,
    "negative": lambda x: -x,
    "positive": lambda x: x,
    "abs": abs,
    "exp": math.exp,
    "exp2": lambda x: 2.0**x,
    "expm1": math.expm1,
    "log": math.log,
    "log1p": math.log1p,
    "log2": math.log2,
    "log10": math.log10,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "arctan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": math.atanh,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1.0 / math.sqrt(x),
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1.0 / x,
    "sigmoid": lambda x: 1.0 / (1.0 + math.exp(-x)),
    "relu": lambda x: max(x, 0.0),
    "softplus": lambda x: math.log1p(math.exp(x)),
    "logsigmoid": lambda x: -math.log1p(math.exp(-x)),
    "silu": lambda x: x / (1.0 + math.exp(-x)),
    "gelu": lambda x: 0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0))),
    "elu": lambda x, alpha=1.0: x if x > 0 else alpha * math.expm1(x),
    "leaky_relu": lambda x, negative_slope=0.01: x if x > 0 else negative_slope * x,
    "softsign": lambda x: x / (1.0 + abs(x)),
    "erf": math.erf,
    "erfc": math.erfc,
    "lgamma": math.lgamma,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": round,
    "sign": lambda x: math.copysign(1.0, x) if x else 0.0,
    "add": lambda x, y, alpha=1.0: x + alpha * y,
    "sub": lambda x, y, alpha=1.0: x - alpha * y,
    "rsub": lambda x, y, alpha=1.0: y - alpha * x,
    "mul": lambda x, y: x * y,
    "multiply": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "divide": lambda x, y: x / y,
    "true_divide": lambda x, y: x / y,
    "pow": lambda x, y: real(x**y),
    "outer": lambda x, y: x * y,
    "maximum": max,
    "minimum": min,
    "hypot": math.hypot,
    "atan2": math.atan2,
    "lerp": lambda x, y, weight: x + weight * (y - x),
    "addcmul": lambda x, y, z, value=1.0: x + value * y * z,
    "addcdiv": lambda x, y, z, value=1.0: x + value * y / z,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "logical_not": lambda x: not x,
    "bitwise_not": lambda x: not x if isinstance(x, bool) else ~x,
    "bitwise_and": lambda x, y: x & y,
    "bitwise_or": lambda x, y: x | y,
    "logical_and": lambda x, y: bool(x) and bool(y),
    "logical_or": lambda x, y: bool(x) or bool(y),
    "isnan": math.isnan,
}
"""Functions and methods that work element by element."""

SAME = frozenset(
    {
        "mean", "clone", "contiguous", "reshape", "reshape_as", "view", "view_as", "expand", "expand_as",
        "broadcast_to", "squeeze", "unsqueeze", "flatten", "ravel", "t", "T", "mT", "transpose", "permute", "adjoint",
        "swapaxes", "movedim",
        "requires_grad_", "to", "type_as", "double", "cpu", "amax", "amin", "median", "flip", "roll", "repeat", "tile",
        "tensor", "as_tensor", "index_select", "gather", "select", "narrow", "diagonal", "real", "resolve_conj",
        "detach", "detach_", "__getitem__", "split", "chunk", "unbind", "unflatten", "swapdims", "broadcast_tensors",
    }
)  # fmt: skip
"""What gives tensors full of the number that its first argument is full of."""

SUMS = frozenset({"sum", "sum_to_size", "nansum"})

PRODUCTS = {"matmul": -1, "mm": -1, "mv": -1, "dot": 0, "bmm": -1, "linear": -1}
"""Sums of products, as many as the first argument is long in this dimension."""

READ: dict[str, Callable[[float], float]] = {"item": lambda x: x, "float": float, "int": int, "bool": bool}
"""What gives the number itself, as Python has it."""

FILLED = {"zeros": 0.0, "ones": 1.0, "empty": 0.0, "zero_": 0.0}

RANDOM = frozenset({"rand", "randn", "bernoulli", "uniform_", "normal_", "exponential_", "dropout", "bernoulli_"})

WHERE = frozenset({"dtype", "device", "dim", "keepdim", "memory_format", "requires_grad", "layout"})
"""Arguments that don't change the number."""


def real(x: complex) -> float:
    """A power that is a real number; a ValueError, as `math` raises it, where it isn't."""
    if isinstance(x, complex):
        raise ValueError("not real")
    return x
