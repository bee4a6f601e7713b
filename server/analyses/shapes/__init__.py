"""Shapes and dtypes of results, inferred without running anything.

Imports `domain` and `autograd/geometry.py`. `infer` answers for functions and methods, `module_output` and
`module_parameters` for the classes of `torch.nn`. Begin reading with `pointwise.py`: a family of operations has one
rule, and plain data says which operations belong to it (`OPS`). An answer is never wrong; what a rule can't infer is
None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import call, views
from .modules import materialized, module_inputs, module_output, module_parameters
from .table import OPS, find
from .types import UNKNOWN, Answer, Arg, Number, Output, TensorType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..autograd.geometry import Geometry

KEEP_IN_PLACE = frozenset({"t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "as_strided_"})
"""in-place methods that change the shape, as the operation without the underscore does"""


IN_PLACE_OPERATORS = frozenset(
    f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
)


def infer(name: str, args: Mapping[str, Arg], default: str = "float32") -> Answer | None:
    """The result of a call, or its results, as far as they are known.

    `name` is `torch.add`, `torch.Tensor.view`, `torch.nn.functional.conv2d` or the bare operation;
    `args` are the arguments by parameter, variadic ones as a list; those left out have their defaults.
    `default` is PyTorch's default dtype. None where the operation, or the number of its results, isn't known.
    """
    op = find(_out_of_place(name))
    if op is not None:
        return call.attempt(op.rule, call.Call(call.renamed(op, args), default))
    changed = next((args[param] for param in ("self", "input", "tensor") if param in args), None)
    return changed if _in_place(name) and isinstance(changed, TensorType) else None


def infer_call(
    name: str, args: Sequence[Arg], keywords: Mapping[str, Arg] | None = None, default: str = "float32"
) -> Answer | None:
    """`infer` for positional and keyword arguments; a method's tensor comes first."""
    op = find(_out_of_place(name))
    bound = call.bind(op, args, keywords or {}) if op else dict(zip(("input",), args, strict=False))
    return infer(name, bound, default)


def view_of(name: str, geometry: Geometry, args: Mapping[str, Arg]) -> Geometry | list[Geometry] | None:
    """The geometry of a view, or of several, that an operation makes; None if it is unknown.

    Operations that may copy (`reshape`, `flatten`, `view_as`) give the geometry of what they return.
    """
    *modules, bare = _out_of_place(name).split(".")
    qualified = ".".join([*modules[-1:], bare])
    key = qualified if qualified in views.RULES else bare
    rule, op = views.RULES.get(key), OPS.get(key)
    if rule is None or op is None:
        return None
    return call.attempt(lambda made: rule(made, geometry), call.Call(call.renamed(op, args)))


def _in_place(name: str) -> bool:
    bare = name.rpartition(".")[2]
    return bare in IN_PLACE_OPERATORS if bare.endswith("__") else bare.endswith("_")


def _out_of_place(name: str) -> str:
    return name[:-1] if name.rpartition(".")[2] in KEEP_IN_PLACE else name


__all__ = [
    "KEEP_IN_PLACE",
    "OPS",
    "UNKNOWN",
    "Answer",
    "Arg",
    "Number",
    "Output",
    "TensorType",
    "find",
    "infer",
    "infer_call",
    "materialized",
    "module_inputs",
    "module_output",
    "module_parameters",
    "view_of",
]
