"""Changes of the shape: a view where the strides allow it, the tensor itself where nothing is to be done, or a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograd.geometry import Geometry
from ...domain.values import Phi
from ...shapes import KEEP_IN_PLACE, TensorType, infer
from .. import layouts
from ..call import Call, Family
from ..cases import called
from ..conversions import guess
from ..types import described_all
from .names import both, functions, methods

if TYPE_CHECKING:
    from ...autograd.tensors import Node, Tensor
    from ...domain.values import Value
    from ..interpreter import Interpreter


def nothing_to_flatten(m: Interpreter, call: Call, source: Tensor) -> bool:
    """Whether `flatten` has but one dimension to make one of: it gives the tensor itself."""
    g = source.geometry
    first, last = (m.state.resolve(call.values.get(k, d)) for k, d in (("start_dim", 0), ("end_dim", -1)))
    if g is None or not g.ndim or not isinstance(first, int) or not isinstance(last, int):
        return False
    return first % g.ndim == last % g.ndim


def reshaped(m: Interpreter, call: Call, source: Tensor, node: Node | None) -> Value:
    """`reshape`, `flatten`: a view where the strides allow it, else a copy."""
    g = source.geometry
    type_ = infer(call.name, described_all(m, call.values))
    shape = type_.shape if isinstance(type_, TensorType) else None
    if g is None or shape is None:
        shared: bool | None = None if g is None or g.is_contiguous() is None else True
        view = layouts.assumed(source, shape) if shape is not None else None
    else:
        view, shared = g.reshape(shape)
        shared = g.is_contiguous() if call.name in RAVEL else shared  # `contiguous().view(-1)`

    def made_view() -> Tensor:
        t = m.grad.view(source, view)
        m.grad.set_history(t, node)
        return t

    def made_copy() -> Tensor:
        t = m.grad.tensor(Geometry.contiguous(shape) if shape is not None else None, source.dtype)
        m.grad.set_history(t, node)
        return t

    if shared is None:
        kind = layouts.kind_of_guess(source)
        return Phi(guess(f"{called(call.name)}() gives a view", source, m, kind), made_view(), made_copy())
    return made_view() if shared else made_copy()


def has_rank(m: Interpreter, call: Call, source: Tensor) -> bool:
    """Whether a tensor is known to have the dimensions that `atleast_2d` gives it."""
    return source.shape is not None and len(source.shape) >= int(call.name[-2])


def adds_nothing_up(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """Whether a tensor has the shape already that it is to be summed to."""
    size = call.values.get("size")
    if source.shape is None or not isinstance(size, tuple):
        return None
    size = size[0] if len(size) == 1 and isinstance(size[0], tuple) else size
    known = all(isinstance(n, int) for n in (*source.shape, *size))
    return source.shape == size if known or len(source.shape) != len(size) else None


def is_alone(m: Interpreter, call: Call, source: Tensor) -> bool:
    """Whether a product of sets is of one."""
    return len(call.all()) == 1


RAVEL = both("ravel")

FAMILIES = {
    (*both("reshape"), *RAVEL, *methods("reshape_as")): Family(otherwise=reshaped),
    both("flatten"): Family(unchanged=nothing_to_flatten, otherwise=reshaped),
    functions("atleast_1d atleast_2d atleast_3d"): Family(unchanged=has_rank, otherwise_view=True),
    methods("sum_to_size"): Family(unchanged=adds_nothing_up),
    functions("cartesian_prod"): Family(unchanged=is_alone),
    (*methods(" ".join(sorted(KEEP_IN_PLACE))), *functions("as_strided_")): Family(reshapes=True),
}
