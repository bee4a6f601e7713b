"""Joining, repeating, padding, and indexing with tensors."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING

from ..autograd.geometry import Geometry, plus, times, wrapped
from .call import Call, Op, attempt, broadcast, flattened, ops, result
from .linalg import all_dtypes
from .pointwise import kept
from .reductions import with_size, without
from .types import Answer, Arg, Number, TensorType, Undecided
from .views import basic, is_number

if TYPE_CHECKING:
    from .call import ShapeRule
    from .types import Shape, Size


def shapes(call: Call, name: str = "tensors") -> list[Shape]:
    """The shapes of a list of tensors."""
    found = [tensor.shape for tensor in call.tensors(name)]
    if not found:
        raise Undecided
    return [_known(shape) for shape in found]


def _known(shape: Shape | None) -> Shape:
    if shape is None:
        raise Undecided
    return shape


def concatenated(parts: list[Shape], dim: int) -> Shape:
    """`cat`: sizes add up along `dim`; an empty vector counts for nothing."""
    real = [shape for shape in parts if shape != (0,)] or parts[:1]
    dim = wrapped(dim, len(real[0]))
    if len({len(shape) for shape in real}) > 1:
        raise Undecided
    others = _agreed([with_size(dim, 0, shape) for shape in real])
    return with_size(dim, plus(*(shape[dim] for shape in real)), others)


def _agreed(parts: list[Shape]) -> Shape:
    """Shapes that must be equal: all that is known of either."""
    known = [{size for size in sizes if size is not None} for sizes in zip(*parts, strict=True)]
    if any(len(sizes) > 1 for sizes in known):
        raise Undecided
    return tuple(next(iter(sizes), None) for sizes in known)


def cat(call: Call) -> Shape:
    """`cat(tensors, dim)`."""
    return concatenated(shapes(call), call.integer("dim", 0))


def stack(call: Call) -> Shape:
    """`stack(tensors, dim)`."""
    parts = shapes(call)
    dim = wrapped(call.integer("dim", 0), len(parts[0]) + 1)
    shape = _agreed(parts)
    return (*shape[:dim], len(parts), *shape[dim:])


def stacked_along(dim: int, rank: int) -> ShapeRule:
    """`hstack`, `vstack`, `dstack`: tensors of at least `rank` dimensions, concatenated."""

    def rule(call: Call) -> Shape:
        grown = [grow(shape, rank) for shape in shapes(call)]
        return concatenated(grown, min(dim, len(grown[0]) - 1))

    return rule


def grow(shape: Shape, rank: int) -> Shape:
    """The shape of `atleast_1d`, `atleast_2d`, `atleast_3d`."""
    while len(shape) < rank:
        shape = (*shape, 1) if len(shape) == 2 else (1, *shape)
    return shape


def columns(call: Call) -> Shape:
    """`column_stack`: vectors are columns."""
    grown = [shape if len(shape) > 1 else (*shape, 1) if shape else (1, 1) for shape in shapes(call)]
    return concatenated(grown, 1)


def repeat(call: Call) -> Shape:
    """`repeat(*sizes)`."""
    shape, counts = call.shape("input"), call.sizes("size")
    if len(counts) < len(shape):
        raise Undecided
    padded = (1,) * (len(counts) - len(shape)) + shape
    return tuple(times(size, count) for size, count in zip(padded, counts, strict=True))


def tile(call: Call) -> Shape:
    """`tile(dims)`."""
    shape, counts = call.shape("input"), call.sizes("dims")
    rank = max(len(shape), len(counts))
    padded = ((1,) * (rank - len(part)) + tuple(part) for part in (shape, counts))
    return tuple(times(*pair) for pair in zip(*padded, strict=True))


def repeat_interleave(call: Call) -> Shape:
    """`repeat_interleave(input, repeats, dim)`."""
    shape, repeats = call.shape("input"), call.get("repeats")
    count = repeats if isinstance(repeats, int) else None
    if "repeats" not in call.args:
        return (None,)
    size = call.size("output_size") if call.given("output_size") else None
    if not call.given("dim"):
        return (times(*shape, count) if size is None else size,)
    dim = wrapped(call.integer("dim"), len(shape))
    return with_size(dim, times(shape[dim] if shape else 1, count) if size is None else size, shape or (1,))


def padded(call: Call) -> Shape:
    """`pad(input, pad)`: two numbers a dimension, the last one first."""
    shape, pads = list(call.shape("input")), call.sizes("pad")
    if len(pads) % 2 or len(pads) > 2 * len(shape):
        raise Undecided
    for pair in range(len(pads) // 2):
        dim = len(shape) - 1 - pair
        shape[dim] = plus(shape[dim], pads[2 * pair], pads[2 * pair + 1])
    return tuple(shape)


def rotated(call: Call) -> Shape:
    """`rot90(input, k, dims)`."""
    shape, k = call.shape("input"), call.integer("k", 1)
    first, second = (wrapped(dim, len(shape)) for dim in call.ints("dims", [0, 1]))
    order = list(range(len(shape)))
    if k % 2:
        order[first], order[second] = second, first
    return tuple(shape[dim] for dim in order)


def diag(call: Call) -> Shape:
    """`diag(input, diagonal)`: a vector becomes a matrix, a matrix its diagonal."""
    shape, offset = call.shape("input"), call.integer("diagonal", 0)
    if len(shape) == 1:
        size = plus(shape[0], abs(offset))
        return (size, size)
    return Geometry.unknown(shape).diagonal(offset).shape


def diag_embed(call: Call) -> Shape:
    """`diag_embed(input, offset, dim1, dim2)`."""
    *rest, length = call.shape("input")
    rank = len(rest) + 2
    first, second = wrapped(call.integer("dim1", -2), rank), wrapped(call.integer("dim2", -1), rank)
    size = plus(length, abs(call.integer("offset", 0)))
    others = iter(rest)
    return tuple(size if dim in (first, second) else next(others) for dim in range(rank))


def diagflat(call: Call) -> Shape:
    """`diagflat(input, offset)`."""
    size = plus(times(*call.shape("input")), abs(call.integer("offset", 0)))
    return (size, size)


def index_select(call: Call) -> Shape:
    """`index_select(input, dim, index)`."""
    shape, index = call.shape("input"), call.shape("index")
    return with_size(call.integer("dim"), times(*index), shape)


def take_along(call: Call) -> Shape:
    """`take_along_dim(input, indices, dim)`: broadcasts but along `dim`."""
    shape, index = call.shape("input"), call.shape("indices")
    if not call.given("dim"):
        return (times(*index),)
    dim = wrapped(call.integer("dim"), len(index))
    return with_size(dim, index[dim], broadcast(with_size(dim, 1, shape), with_size(dim, 1, index)))


def masked(call: Call) -> Shape:
    """`masked_select`: as many as the mask says."""
    return (None,)


# -- x[…] with tensors ------------------------------------------------------------------------------


def getitem(call: Call) -> Answer:
    """`x[indices]`, basic and advanced (`aten/src/ATen/TensorIndexing.h`, `native/TensorAdvancedIndexing.cpp`)."""
    tensor = call.tensor("input")
    return TensorType(attempt(indexed, call), tensor.dtype)


def indexed(call: Call) -> Shape:
    """The shape of `x[indices]`."""
    items = call.get("indices")
    listed = list(items) if isinstance(items, tuple) else [items]
    view = Geometry.unknown(call.shape("input"))
    ndim, used = view.ndim, sum(_dims_of(item) for item in listed)
    if used > ndim:
        raise Undecided
    dim = 0
    advanced: dict[int, Shape] = {}
    for item in listed:
        if isinstance(item, EllipsisType):
            dim += ndim - used
        elif item is None:
            view, dim = view.unsqueeze(dim), dim + 1
        elif isinstance(item, bool) or _is_mask_of_nothing(item):
            view = view.unsqueeze(dim)
            advanced[dim] = (int(item) if isinstance(item, bool) else None,)
            dim += 1
        elif is_number(item):
            view = view.select(dim, item if isinstance(item, int) else None)
        elif isinstance(item, (TensorType, list, tuple)):
            for part in _index_shapes(item):
                advanced[dim] = part
                dim += 1
        elif isinstance(item, slice):
            index = basic(item)
            assert isinstance(index, slice)
            view, dim = view.slice(dim, index.start, index.stop, index.step), dim + 1
        else:
            raise Undecided
    return gathered(view.shape, advanced)


def gathered(shape: Shape, advanced: dict[int, Shape]) -> Shape:
    """Index tensors broadcast; their result stays in place if they are adjacent, else it comes first."""
    if not advanced:
        return shape
    dims = sorted(advanced)
    together_shape = broadcast(*advanced.values())
    rest = without(shape, set(dims), False)
    start = dims[0] if dims == list(range(dims[0], dims[-1] + 1)) else 0
    return (*rest[:start], *together_shape, *rest[start:])


def _is_mask_of_nothing(item: Arg) -> bool:
    return isinstance(item, TensorType) and item.shape == () and item.dtype in ("bool", "uint8")


def _dims_of(item: Arg) -> int:
    """How many dimensions an index uses."""
    if item is None or isinstance(item, (bool, EllipsisType)) or _is_mask_of_nothing(item):
        return 0
    if isinstance(item, slice) or is_number(item):
        return 1
    return len(_index_shapes(item))


def _index_shapes(item: Arg) -> list[Shape]:
    """The integer index tensors that an index is: a mask is one for each of its dimensions (`expandTensors`)."""
    shape, dtype = (item.shape, item.dtype) if isinstance(item, TensorType) else (_list_shape(item), _list_dtype(item))
    if shape is None or dtype is None:
        raise Undecided
    if dtype in ("bool", "uint8"):
        return [(None,)] * len(shape)
    return [shape]


def _list_shape(item: Arg) -> Shape:
    shape: list[Size] = []
    while isinstance(item, (list, tuple)):
        shape.append(len(item))
        item = item[0] if item else None
    if isinstance(item, TensorType):
        return (*shape, *_known(item.shape))
    return tuple(shape)


def _list_dtype(item: Arg) -> str:
    leaves = flattened(item)
    if any(not isinstance(leaf, (int, TensorType, Number)) for leaf in leaves):
        raise Undecided
    return "bool" if leaves and all(isinstance(leaf, bool) for leaf in leaves) else "int64"


OPS: dict[str, Op] = {
    **ops("cat concat concatenate", "tensors dim", result(cat, all_dtypes("tensors"))),
    **ops("stack", "tensors dim", result(stack, all_dtypes("tensors"))),
    **ops("hstack", "tensors", result(stacked_along(1, 1), all_dtypes("tensors"))),
    **ops("vstack row_stack", "tensors", result(stacked_along(0, 2), all_dtypes("tensors"))),
    **ops("dstack", "tensors", result(stacked_along(2, 3), all_dtypes("tensors"))),
    **ops("column_stack", "tensors", result(columns, all_dtypes("tensors"))),
    **ops("repeat", "input *size|repeats", result(repeat, kept)),
    **ops("tile", "input *dims", result(tile, kept)),
    **ops("repeat_interleave", "input repeats dim output_size", result(repeat_interleave, kept)),
    **ops("pad constant_pad_nd", "input pad mode value", result(padded, kept)),
    **ops("rot90", "input k dims", result(rotated, kept)),
    **ops("diag", "input diagonal", result(diag, kept)),
    **ops("diag_embed", "input offset dim1 dim2", result(diag_embed, kept)),
    **ops("diagflat", "input offset", result(diagflat, kept)),
    **ops("index_select", "input dim index", result(index_select, kept)),
    **ops("gather", "input dim index", result(lambda call: call.shape("index"), kept)),
    **ops("take", "input index", result(lambda call: call.shape("index"), kept)),
    **ops("take_along_dim", "input indices dim", result(take_along, kept)),
    **ops("masked_select", "input mask", result(masked, kept)),
    **ops("__getitem__", "input indices", getitem),
}
