"""Shapes and dtypes of results, told without running anything.

`infer` answers for functions and methods, `module_output` and `module_parameters` for the classes of
`torch.nn`. Operations belong to families with one rule each; which belongs where is plain data, the `OPS`
of each module. An answer is never wrong: what a rule can't tell is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import call, factories, functional, indexing, linalg, pointwise, reductions, views
from .types import UNKNOWN, Answer, Arg, Number, TensorType, Undecided

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..geometry import Geometry

OPS: dict[str, call.Op] = {
    **functional.OPS,
    **pointwise.OPS,
    **reductions.OPS,
    **linalg.OPS,
    **views.OPS,
    **indexing.OPS,
    **factories.OPS,
}
APART = frozenset({"fft", "linalg", "masked", "sparse", "windows", "distributed"})
"""modules whose functions are not those of the same name elsewhere"""
KEEP_IN_PLACE = frozenset({"t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "as_strided_"})
"""in-place methods that change the shape, as the function without the underscore does"""


def find(name: str) -> call.Op | None:
    """The row for a name: `torch.linalg.norm` under `linalg.norm`, `torch.add` and `add` under `add`."""
    *modules, bare = name.split(".")
    home = modules[-1] if modules else ""
    qualified = OPS.get(f"{home}.{bare}")
    return qualified if qualified or home in APART else OPS.get(bare)


def infer(name: str, args: Mapping[str, Arg], default: str = "float32") -> Answer | None:
    """The result of a call, or its results, as far as they can be told.

    `name` is `torch.add`, `torch.Tensor.view`, `torch.nn.functional.conv2d` or the bare operation;
    `args` are the arguments by parameter, variadic ones as a list; those left out have their defaults.
    `default` is PyTorch's default dtype. None where the operation, or the number of its results, isn't known.
    """
    bare = name.rpartition(".")[2]
    if bare.endswith("_") and not bare.endswith("__"):
        if bare not in KEEP_IN_PLACE:
            return _unchanged(args)
        name = name[:-1]
    op = find(name)
    if op is None:
        return None
    return call.attempt(op.rule, call.Call(call.renamed(op, args), default))


def _unchanged(args: Mapping[str, Arg]) -> TensorType | None:
    """An in-place operation keeps its tensor, which comes first."""
    first = next(iter(args.values()), None)
    return first if isinstance(first, TensorType) else None


def infer_call(
    name: str, args: Sequence[Arg], keywords: Mapping[str, Arg] | None = None, default: str = "float32"
) -> Answer | None:
    """`infer` for positional and keyword arguments; a method's tensor comes first."""
    op = find(name[:-1] if name.rpartition(".")[2] in KEEP_IN_PLACE else name)
    bound = call.bind(op, args, keywords or {}) if op else dict(zip("i", args, strict=False))
    return infer(name, bound, default)


def view_of(name: str, geometry: Geometry, args: Mapping[str, Arg]) -> Geometry | list[Geometry] | None:
    """The geometry of a view, or of several, that an operation makes; None where it can't be told.

    Operations that may copy (`reshape`, `flatten`, `view_as`) give the geometry of what they return.
    """
    *modules, bare = name.split(".")
    plain = bare[:-1] if bare in KEEP_IN_PLACE else bare
    key = f"{modules[-1]}.{plain}" if modules and f"{modules[-1]}.{plain}" in views.RULES else plain
    rule, op = views.RULES.get(key), OPS.get(key)
    if rule is None or op is None:
        return None
    return call.attempt(lambda made: rule(made, geometry), call.Call(call.renamed(op, args)))


__all__ = ["OPS", "UNKNOWN", "Answer", "Arg", "Number", "TensorType", "Undecided", "infer", "infer_call", "view_of"]
