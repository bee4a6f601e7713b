"""Operations that give views: the geometry's own methods, called with the arguments of a call."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING

from ..autograd.geometry import UNKNOWN, Bound, Geometry, Index, Shape, Size, Unknown
from .call import Call, Op, attempt, ops
from .dtypes import is_complex, named
from .pointwise import composed, parts
from .types import Answer, Arg, Number, TensorType, Undecided

if TYPE_CHECKING:
    from collections.abc import Callable

    from .call import DtypeRule

    Views = Geometry | list[Geometry]
    ViewRule = Callable[[Call, Geometry], Views]


def known(view: Geometry | None) -> Geometry:
    """A view that there must be."""
    if view is None:
        raise Undecided
    return view


def list_or_int(call: Call, name: str) -> int | list[int]:
    """An argument that is one integer or a list of them."""
    value = call.get(name)
    return value if isinstance(value, int) else call.ints(name)


def bound(call: Call, name: str) -> Bound:
    """A limit of a slice: None if it is left out, `UNKNOWN` if it is unknown."""
    value = call.get(name)
    return value if value is None or isinstance(value, int) else UNKNOWN


def like_other(call: Call, geometry: Geometry) -> Geometry:
    """`view_as`, `reshape_as`."""
    return geometry.reshape(call.shape("other"))[0]


def view(call: Call, geometry: Geometry) -> Geometry:
    """`view(*size)`."""
    return known(geometry.view(call.sizes("size")))


def squeeze(call: Call, geometry: Geometry) -> Geometry:
    """`squeeze()`, `squeeze(dim)`, `squeeze(dims)`."""
    return geometry.squeeze(list_or_int(call, "dim") if call.given("dim") else None)


def split(call: Call, geometry: Geometry) -> list[Geometry]:
    """`split(sizes, dim)`."""
    sizes = call.get("split_size")
    return geometry.split(sizes if isinstance(sizes, int) else call.sizes("split_size"), call.integer("dim", 0))


def tensor_split(call: Call, geometry: Geometry) -> list[Geometry]:
    """`tensor_split(indices_or_sections, dim)`."""
    return geometry.tensor_split(list_or_int(call, "indices_or_sections"), call.integer("dim", 0))


def split_along(dim: int, flat: int) -> ViewRule:
    """`hsplit`, `vsplit`, `dsplit`; of a vector `hsplit` cuts the only dimension.

    The methods' argument counts as variadic, so that `(2,)` is 2.
    """

    def rule(call: Call, geometry: Geometry) -> list[Geometry]:
        how = list_or_int(call, "indices_or_sections")
        if isinstance(call.get("indices_or_sections"), tuple) and isinstance(how, list) and len(how) == 1:
            how = how[0]
        chosen = flat if geometry.ndim == 1 else dim
        size = geometry.shape[chosen]
        if isinstance(how, int) and size is not None and size % how:
            raise Undecided
        return geometry.tensor_split(how, chosen)

    return rule


def as_strided(call: Call, geometry: Geometry) -> Geometry:
    """`as_strided(size, stride, storage_offset)`."""
    offset: Size | Unknown = call.size("storage_offset") if call.given("storage_offset") else UNKNOWN
    return geometry.as_strided(call.sizes("size"), call.sizes("stride"), offset)


def matrix_transposed(call: Call, geometry: Geometry) -> Geometry:
    """`x.mT`, `x.mH`, `adjoint`."""
    if geometry.ndim < 2:
        raise Undecided
    return geometry.transpose(-2, -1)


def reversed_dims(call: Call, geometry: Geometry) -> Geometry:
    """`x.T`."""
    return geometry.permute(range(geometry.ndim)[::-1])


def expand(call: Call, geometry: Geometry) -> Geometry:
    """`expand(*size)`."""
    return geometry.expand(call.sizes("size"))


def expand_as(call: Call, geometry: Geometry) -> Geometry:
    """`expand_as(other)`."""
    return geometry.expand(call.shape("other"))


def at_least(rank: int) -> ViewRule:
    """`atleast_1d` … of one tensor."""

    def rule(call: Call, geometry: Geometry) -> Geometry:
        while geometry.ndim < rank:
            geometry = geometry.unsqueeze(-1 if geometry.ndim == 2 else 0)
        return geometry

    return rule


def index(call: Call, geometry: Geometry) -> Geometry:
    """`x[indices]` without tensors."""
    items = call.get("indices")
    listed = items if isinstance(items, tuple) else (items,)
    return geometry.index(tuple(basic(item) for item in listed))


def basic(item: Arg) -> Index:
    """An index that makes a view; raises `Undecided` for all others, and for `UNKNOWN`, which may be a tensor."""
    if isinstance(item, slice):
        ends = (item.start, item.stop, item.step)
        return slice(*(end if end is None or isinstance(end, int) else UNKNOWN for end in ends))
    if item is None or isinstance(item, EllipsisType):
        return item
    if is_number(item):
        return item if isinstance(item, int) else UNKNOWN
    raise Undecided


def is_number(item: Arg) -> bool:
    """Whether an index is one element's: an integer, or a tensor of one that has no dimensions."""
    if isinstance(item, TensorType):
        return item.shape == () and item.dtype in ("int8", "int16", "int32", "int64")
    return isinstance(item, (int, Number)) and not isinstance(item, bool)


def unfold(call: Call, geometry: Geometry) -> Geometry:
    """`Tensor.unfold(dimension, size, step)`."""
    return geometry.unfold(call.integer("dimension"), call.size("size"), call.size("step"))


def diagonal(call: Call, geometry: Geometry) -> Geometry:
    """`diagonal(offset, dim1, dim2)`."""
    return geometry.diagonal(call.integer("offset", 0), call.integer("dim1", 0), call.integer("dim2", 1))


def last_diagonal(call: Call, geometry: Geometry) -> Geometry:
    """`linalg.diagonal(offset, dim1, dim2)`: of the last two dimensions."""
    return geometry.diagonal(call.integer("offset", 0), call.integer("dim1", -2), call.integer("dim2", -1))


def parts_apart(call: Call, geometry: Geometry) -> Geometry:
    """`view_as_real`: a last dimension of real and imaginary part."""
    strides = [None if stride is None else 2 * stride for stride in geometry.strides]
    offset = None if geometry.offset is None else 2 * geometry.offset
    return Geometry((*geometry.shape, 2), (*strides, 1), offset, geometry.in_order)


def part(number: int) -> ViewRule:
    """`real` and `imag` of a complex tensor: every other number."""

    def rule(call: Call, geometry: Geometry) -> Geometry:
        if not is_complex(call.dtype()):
            return geometry
        return parts_apart(call, geometry).select(-1, number)

    return rule


def parts_together(call: Call, geometry: Geometry) -> Geometry:
    """`view_as_complex`: the last dimension has both parts."""
    if geometry.shape[-1:] not in ((2,), (None,)):
        raise Undecided
    strides = [None if stride is None else stride // 2 for stride in geometry.strides[:-1]]
    offset = None if geometry.offset is None else geometry.offset // 2
    return Geometry(geometry.shape[:-1], tuple(strides), offset, geometry.in_order)


VIEWS: dict[str, tuple[str, ViewRule]] = {
    "view view_copy": ("input *size", view),
    "reshape _unsafe_view": ("input *size", lambda call, g: g.reshape(call.sizes("size"))[0]),
    "view_as reshape_as": ("input other", like_other),
    "ravel": ("input", lambda call, g: g.reshape([-1])[0]),
    "flatten": (
        "input start_dim end_dim",
        lambda call, g: g.flatten(call.integer("start_dim", 0), call.integer("end_dim", -1))[0],
    ),
    "unflatten": ("input dim sizes", lambda call, g: g.unflatten(call.integer("dim"), call.sizes("sizes"))),
    "squeeze squeeze_copy": ("input *dim", squeeze),
    "unsqueeze unsqueeze_copy": ("input dim", lambda call, g: g.unsqueeze(call.integer("dim"))),
    "expand broadcast_to expand_copy": ("input *size", expand),
    "expand_as": ("input other", expand_as),
    "permute permute_copy": ("input *dims", lambda call, g: g.permute(call.ints("dims"))),
    "transpose swapaxes swapdims transpose_copy": (
        "input dim0|axis0 dim1|axis1",
        lambda call, g: g.transpose(call.integer("dim0"), call.integer("dim1")),
    ),
    "t t_copy": ("input", lambda call, g: g.t()),
    "T H numpy_T": ("input", reversed_dims),
    "mT mH adjoint": ("input", matrix_transposed),
    "movedim moveaxis": (
        "input source destination",
        lambda call, g: g.movedim(list_or_int(call, "source"), list_or_int(call, "destination")),
    ),
    "select select_copy": ("input dim index", lambda call, g: g.select(call.integer("dim"), call.size("index"))),
    "slice slice_copy": (
        "input dim start end step",
        lambda call, g: g.slice(
            call.integer("dim", 0), bound(call, "start"), bound(call, "end"), call.integer("step", 1)
        ),
    ),
    "narrow narrow_copy": (
        "input dim start length",
        lambda call, g: g.narrow(call.integer("dim"), call.size("start"), call.size("length")),
    ),
    "diagonal diagonal_copy": ("input offset dim1 dim2", diagonal),
    "linalg.diagonal": ("input offset dim1 dim2", last_diagonal),
    "Tensor.unfold unfold_copy": ("input dimension|dim size step", unfold),
    "as_strided as_strided_copy": ("input size stride storage_offset", as_strided),
    "split unsafe_split": ("input split_size|split_size_or_sections|split_sizes dim", split),
    "split_with_sizes split_with_sizes_copy unsafe_split_with_sizes": (
        "input split_size|split_size_or_sections|split_sizes dim",
        split,
    ),
    "chunk unsafe_chunk": ("input chunks dim", lambda call, g: g.chunk(call.integer("chunks"), call.integer("dim", 0))),
    "unbind unbind_copy": ("input dim", lambda call, g: g.unbind(call.integer("dim", 0))),
    "tensor_split": ("input indices_or_sections|sections|indices dim", tensor_split),
    "hsplit": ("input indices_or_sections|sections|indices", split_along(1, 0)),
    "vsplit": ("input indices_or_sections|sections|indices", split_along(0, 0)),
    "dsplit": ("input indices_or_sections|sections|indices", split_along(2, 2)),
    "atleast_1d": ("input", at_least(1)),
    "atleast_2d": ("input", at_least(2)),
    "atleast_3d": ("input", at_least(3)),
    "real": ("input", part(0)),
    "imag": ("input", part(1)),
    "conj": ("input", lambda call, g: g),
    "view_as_real": ("input", parts_apart),
    "view_as_complex": ("input", parts_together),
    "__getitem__": ("input indices", index),
}
RULES = {name: rule for names, (_, rule) in VIEWS.items() for name in names.split()}


AT_LEAST = ("atleast_1d", "atleast_2d", "atleast_3d")
SIZED = ("view", "reshape", "expand", "broadcast_to", "as_strided")
"""operations whose argument `size` is the shape of the result"""
SEVERAL = ("split", "chunk", "unbind")
"""in the names of operations that make an unknown number of views"""


def shape_of(name: str, rule: ViewRule) -> Callable[[Call], Answer]:
    """The rule for the shapes of views, independent of the layout of the memory."""

    def apply(call: Call) -> Answer:
        tensor = call.tensor("input")
        shape, dtype = tensor.shape, tensor.dtype
        if shape is None and any(word in name for word in SEVERAL):
            return [TensorType(None, dtype)] * asked_count(name, call)
        if shape is None:
            asked = asked_size if name in SIZED else asked_rank if name == "permute" else None
            return TensorType(attempt(asked, call) if asked is not None else None, dtype)
        if any(word in name for word in SEVERAL):
            made = rule(call, Geometry.unknown(shape))
            return [TensorType(view.shape, dtype) for view in made] if isinstance(made, list) else []
        one = attempt(lambda call: rule(call, Geometry.unknown(shape)), call)
        return TensorType(one.shape if isinstance(one, Geometry) else None, dtype)

    return apply


def asked_count(name: str, call: Call) -> int:
    """How many pieces `chunk`, `split` and `tensor_split` give of a tensor of unknown shape."""
    if "chunk" in name:
        return call.integer("chunks")
    if "indices_or_sections" in call.args:
        how = list_or_int(call, "indices_or_sections")
        return how if isinstance(how, int) else len(how) + 1
    sizes = call.get("split_size")
    if not isinstance(sizes, (list, tuple)):
        raise Undecided
    return len(sizes)


def asked_size(call: Call) -> Shape:
    """The shape that `view`, `reshape` and `expand` request, without what is left to infer."""
    return tuple(None if size == -1 else size for size in call.sizes("size"))


def asked_rank(call: Call) -> Shape:
    """The shape that `permute` gives: as many dimensions as it names."""
    return (None,) * len(call.ints("dims"))


def viewed_as(call: Call) -> Answer:
    """`view(dtype)` keeps the shape if the items have the same size, which callers check."""
    size = call.get("size")
    dtype = call.get("dtype", size[0] if isinstance(size, (list, tuple)) and len(size) == 1 else size)
    if isinstance(dtype, str):
        return TensorType(None, named(dtype))
    return shape_of("view", view)(call)


def each(rule: Callable[[Call], Answer]) -> Callable[[Call], Answer]:
    """A rule for one tensor, for several."""

    def apply(call: Call) -> Answer:
        made = [rule(Call({"input": tensor}, call.default)) for tensor in call.tensors("tensors")]
        one = [answer for answer in made if isinstance(answer, TensorType)]
        return one[0] if len(one) == 1 else one

    return apply


def with_dtype(rule: Callable[[Call], Answer], dtype: DtypeRule) -> Callable[[Call], Answer]:
    """A rule for one result, with another dtype."""

    def apply(call: Call) -> Answer:
        made = rule(call)
        return TensorType(made.shape, attempt(dtype, call)) if isinstance(made, TensorType) else made

    return apply


OPS: dict[str, Op] = {
    name: op
    for names, (params, rule) in VIEWS.items()
    for name in names.split()
    for op in ops(name, params, shape_of(name, rule)).values()
}
OPS |= {
    **{row: op for row in AT_LEAST for op in ops(row, "*tensors", each(OPS[row].rule)).values()},
    **ops("view", "input *size", viewed_as),
    **ops("real", "input", with_dtype(OPS["real"].rule, parts)),
    **ops("imag", "input", with_dtype(OPS["imag"].rule, parts)),
    **ops("view_as_real", "input", with_dtype(OPS["view_as_real"].rule, parts)),
    **ops("view_as_complex", "input", with_dtype(OPS["view_as_complex"].rule, composed)),
}
