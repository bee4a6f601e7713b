"""Shapes, strides and offsets of views, as far as the sizes are known.

Each rule does what ATen does with the same name: the view functions of `aten/src/ATen/native/TensorShape.cpp` and
`computeStride` of `aten/src/ATen/TensorUtils.cpp`. An unknown size, stride or offset is None. A size that isn't known
is never taken to be 0.

    Geometry.contiguous((2, 3)).transpose(0, 1)     # (3, 2), strides (1, 3)
    ….view((6,))                                    # None: PyTorch refuses it
    ….reshape((6,))                                 # (geometry, False): a copy, which shares nothing
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from math import prod
from types import EllipsisType
from typing import TYPE_CHECKING

from ..domain import budget

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Size = int | None
Shape = tuple[Size, ...]


class Unknown(Enum):
    """The type of `UNKNOWN`, which stands for an unknown value where None has a meaning of its own."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN

Bound = int | Unknown | None
Index = int | Unknown | slice | EllipsisType | None


class GeometryError(ValueError):
    """PyTorch raises here, or an unknown size decides the number of dimensions."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where the elements of a tensor lie in its storage, counted in elements.

    All methods that make a view raise `GeometryError` if PyTorch raises.
    """

    shape: Shape
    strides: tuple[Size, ...]
    """one for each dimension"""
    offset: Size = 0
    in_order: bool = field(default=False, compare=False)
    """known to be contiguous, although some strides may be unknown"""
    order: tuple[int, ...] | None = field(default=None, compare=False)
    """the places of the dimensions in contiguous memory, if they are permuted, or some elements of one are left out;
    two with places in a row lie as if they were one"""

    @staticmethod
    def contiguous(shape: Sequence[Size], offset: Size = 0) -> Geometry:
        """Fresh memory in row-major order."""
        return Geometry(tuple(shape), _row_major(shape), offset, in_order=True)

    @staticmethod
    def unknown(shape: Sequence[Size]) -> Geometry:
        """A tensor with a known shape and an unknown layout."""
        return Geometry(tuple(shape), (None,) * len(shape), None)

    @staticmethod
    def of_rank(ndim: int) -> Geometry:
        """A tensor of which only the number of dimensions is known: they mostly lie in their order."""
        return Geometry((None,) * ndim, (None,) * ndim, None, order=tuple(range(ndim)))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def numel(self) -> Size:
        """The number of elements."""
        return times(*self.shape)

    # -- questions ----------------------------------------------------------------------------

    def is_contiguous(self) -> bool | None:
        """Whether the elements lie in row-major order without gaps (`_compute_contiguous`)."""
        if self.in_order or 0 in self.shape:
            return True
        certain = True
        expected: Size = 1
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size == 1:
                continue
            if expected is None or stride is None or (size is None and stride != expected):
                certain = False
            elif stride != expected:
                return False
            expected = times(expected, size)
        return True if certain else None

    def is_usually_contiguous(self) -> bool | None:
        """The same; no dimension is taken to have size 1, and no part of one to be all of it, if that isn't known."""
        answer = self.is_contiguous()
        first = self.order[0] if self.order else 0
        in_turn = self.order in (None, tuple(range(first, first + self.ndim)))  # of `x[0]` the places begin with 1
        return False if answer is None and not in_turn else answer

    def places(self) -> Sequence[int]:
        """The place of each dimension in memory; two in a row lie as if they were one. Nothing if they aren't known."""
        return self.order or (range(self.ndim) if self.in_order else ())

    def is_dense(self) -> bool | None:
        """Whether the elements fill a stretch of memory, each place once (`is_non_overlapping_and_dense`)."""
        if self.is_contiguous():
            return True
        dims = [(stride, size) for size, stride in zip(self.shape, self.strides, strict=True) if size != 1]
        known = [(stride, size) for stride, size in dims if stride is not None and size is not None]
        if len(known) < len(dims):
            return None
        expected = 1
        for stride, size in sorted(known):
            if stride != expected:
                return False
            expected *= size
        return True

    def overlaps_itself(self) -> bool | None:
        """Whether two elements share a place: True or False for sure, None if ATen can't tell.

        This is `has_internal_overlap`: only stride 0 counts as an overlap, and only then does a write raise.
        """
        if self.is_dense():
            return False
        if any(stride == 0 and size is not None and size > 1 for size, stride in self._dims()):
            return True
        return None

    def may_overlap_itself(self) -> bool:
        """Whether elements seem to share places, also where ATen can't tell: the windows of `unfold` do.

        That is so where a dimension's stride is within the reach of those with smaller strides. A dimension of
        unknown size or stride is left out.
        """
        reach = 0
        for stride, size in sorted((stride, size) for size, stride in self._dims() if size and stride is not None):
            if size > 1 and stride <= reach:
                return 0 not in self.shape
            reach += (size - 1) * stride
        return False

    def _dims(self) -> Iterable[tuple[Size, Size]]:
        return zip(self.shape, self.strides, strict=True)

    # -- the shape is regrouped ---------------------------------------------------------------

    def view(self, size: Sequence[Size]) -> Geometry | None:
        """`view(size)`: None if the strides don't allow it, so that `reshape` copies.

        If unknown sizes decide, the answer is a view with unknown strides.
        """
        shape = inferred(size, self.numel())
        old, old_strides, new = all_known(self.shape), all_known(self.strides), all_known(shape)
        if old is None or old_strides is None or new is None:
            if not self.is_contiguous():
                return Geometry(shape, (None,) * len(shape), self.offset)
            strides: Sequence[Size] = _row_major(shape)
            if self.strides != _row_major(self.shape):  # where there is one element, any stride is in order
                strides = [None if size in (None, 1) else stride for size, stride in zip(shape, strides, strict=True)]
            return Geometry(shape, tuple(strides), self.offset, in_order=True)
        if 0 in old:
            return Geometry(shape, self.strides if shape == self.shape else _row_major(shape), self.offset)
        regrouped = _regrouped_strides(old, old_strides, new)
        return None if regrouped is None else Geometry(shape, regrouped, self.offset)

    def viewable(self, size: Sequence[Size]) -> bool | None:
        """Whether `view(size)` is possible, that is whether `reshape(size)` shares memory."""
        viewed = self.view(size)
        if viewed is None:
            return False
        return True if self.is_contiguous() or all_known(viewed.strides) is not None else None

    def merges(self, groups: Sequence[Sequence[int]]) -> bool | None:
        """Whether each group of dimensions can become one without a copy, as by `permute` and `reshape`."""
        answer: bool | None = True
        for group in groups:
            dims = [(self.shape[d], self.strides[d]) for d in group if self.shape[d] != 1]
            for (size, outer), (inner_size, inner) in pairwise(dims):
                step = times(inner_size, inner)
                if outer is None or step is None or size is None or inner_size is None:
                    answer = None
                elif outer != step:
                    return False
        return True if answer is None and self.is_contiguous() and _ascend(groups) else answer

    def usually_merges(self, groups: Sequence[Sequence[int]]) -> bool | None:
        """The same; no dimension is taken to have size 1, and no part of one to be all of it, if that isn't known."""
        answer = self.merges(groups)
        if answer is not None or self.order is None:
            return answer
        places = [[self.order[d] for d in group if self.shape[d] != 1] for group in groups]
        return all(inner == outer + 1 for group in places for outer, inner in pairwise(group))

    def reshape(self, size: Sequence[Size]) -> tuple[Geometry, bool | None]:
        """`reshape(size)`, and whether it is a view of this memory (True), a copy (False), or either (None)."""
        viewed = self.view(size)
        if viewed is None:
            return Geometry.contiguous(inferred(size, self.numel())), False
        shared = self.viewable(size)
        return (viewed if shared else Geometry.unknown(viewed.shape)), shared

    def flatten(self, start: int = 0, end: int = -1) -> tuple[Geometry, bool | None]:
        """`flatten(start, end)`; answers like `reshape`, which ATen calls."""
        if self.ndim == 0:
            return self.reshape((1,))
        first, last = wrapped(start, self.ndim), wrapped(end, self.ndim)
        if first > last:
            raise GeometryError("flatten: the start lies behind the end")
        if first == last:
            return self, True
        return self.reshape((*self.shape[:first], times(*self.shape[first : last + 1]), *self.shape[last + 1 :]))

    def unflatten(self, dim: int, sizes: Sequence[Size]) -> Geometry:
        """`unflatten(dim, sizes)`, with at most one -1."""
        dim = wrapped(dim, self.ndim)
        shape = inferred(sizes, self.shape[dim])
        viewed = self.view((*self.shape[:dim], *shape, *self.shape[dim + 1 :]))
        if viewed is None:
            raise GeometryError("unflatten: the strides don't allow it")
        return viewed

    def squeeze(self, dims: int | Sequence[int] | None = None) -> Geometry:
        """`squeeze()`, `squeeze(dim)` or `squeeze(dims)`."""
        among = range(self.ndim) if dims is None else [dims] if isinstance(dims, int) else dims
        gone = {wrapped(dim, self.ndim) for dim in among} if self.ndim else set()
        if any(self.shape[dim] is None for dim in gone):
            raise GeometryError("squeeze: the size isn't known")
        return self._pick([dim for dim in range(self.ndim) if dim not in gone or self.shape[dim] != 1], self.in_order)

    def unsqueeze(self, dim: int) -> Geometry:
        """`unsqueeze(dim)`."""
        dim = wrapped(dim, self.ndim + 1)
        stride = times(self.shape[dim], self.strides[dim]) if dim < self.ndim else 1
        return Geometry(
            (*self.shape[:dim], 1, *self.shape[dim:]),
            (*self.strides[:dim], stride, *self.strides[dim:]),
            self.offset,
            self.in_order,
        )

    # -- dimensions change places -------------------------------------------------------------

    def permute(self, dims: Sequence[int]) -> Geometry:
        """`permute(dims)`."""
        order = [wrapped(dim, self.ndim) for dim in dims]
        if sorted(order) != list(range(self.ndim)):
            raise GeometryError("permute: not an order of the dimensions")
        return self._pick(order, self.in_order and order == sorted(order))

    def transpose(self, dim0: int, dim1: int) -> Geometry:
        """`transpose`, `swapaxes`, `swapdims`."""
        if self.ndim == 0:
            return self
        first, second = wrapped(dim0, self.ndim), wrapped(dim1, self.ndim)
        order = list(range(self.ndim))
        order[first], order[second] = second, first
        return self.permute(order)

    def swapaxes(self, dim0: int, dim1: int) -> Geometry:
        """`swapaxes`: `transpose` by another name."""
        return self.transpose(dim0, dim1)

    def t(self) -> Geometry:
        """`t()`: of at most two dimensions."""
        if self.ndim > 2:
            raise GeometryError("t: more than two dimensions")
        return self.transpose(0, 1) if self.ndim == 2 else self

    def movedim(self, source: int | Sequence[int], destination: int | Sequence[int]) -> Geometry:
        """`movedim`, `moveaxis`."""
        sources = [wrapped(dim, self.ndim) for dim in _as_list(source)]
        goals = [wrapped(dim, self.ndim) for dim in _as_list(destination)]
        if len(sources) != len(goals) or len({*sources}) < len(sources) or len({*goals}) < len(goals):
            raise GeometryError("movedim: sources and destinations don't match")
        if self.ndim == 0:
            return self
        placed = dict(zip(goals, sources, strict=True))
        rest = iter(dim for dim in range(self.ndim) if dim not in sources)
        return self.permute([placed[dim] if dim in placed else next(rest) for dim in range(self.ndim)])

    def _pick(self, dims: Sequence[int], in_order: bool = False) -> Geometry:
        places = self.places()
        order = tuple(places[dim] for dim in dims) if places and not in_order else None
        shape, strides = tuple(self.shape[dim] for dim in dims), tuple(self.strides[dim] for dim in dims)
        return Geometry(shape, strides, self.offset, in_order, order)

    # -- elements are left out, or repeated ---------------------------------------------------

    def select(self, dim: int, index: Size) -> Geometry:
        """`select(dim, index)`, `x[index]`."""
        if self.ndim == 0:
            raise GeometryError("select: no dimension")
        dim = wrapped(dim, self.ndim)
        size = self.shape[dim]
        if index is not None and size is not None:
            index = _element(index, size)
        elif index is not None and index < 0:
            index = None
        rest = self._pick([other for other in range(self.ndim) if other != dim], self.in_order and dim == 0)
        return replace(rest, offset=plus(self.offset, times(index, self.strides[dim])))

    def slice(self, dim: int = 0, start: Bound = None, stop: Bound = None, step: int | Unknown | None = 1) -> Geometry:
        """`x[start:stop:step]` of one dimension; None is a limit that is left out."""
        if self.ndim == 0:
            raise GeometryError("slice: no dimension")
        dim = wrapped(dim, self.ndim)
        step = 1 if step is None else step
        if step is not UNKNOWN and step <= 0:
            raise GeometryError("slice: the step must be positive")
        first, length = _range(self.shape[dim], start, stop)
        if start in (0, None) and stop is None and step == 1:
            return self
        if step == 1:
            return self._part(dim, length, plus(self.offset, times(first, self.strides[dim])))
        return self._with_dim(
            dim,
            None if length is None or step is UNKNOWN else -(-length // step),
            None if step is UNKNOWN else times(self.strides[dim], step),
            plus(self.offset, times(first, self.strides[dim])),
        )

    def narrow(self, dim: int, start: Size, length: Size) -> Geometry:
        """`narrow(dim, start, length)`."""
        dim = wrapped(dim, self.ndim)
        size = self.shape[dim]
        if start is not None and size is not None:
            start = start + size if start < 0 else start
            if not 0 <= start <= size or (length is not None and not 0 <= length <= size - start):
                raise GeometryError("narrow: out of range")
        elif start is not None and start < 0:
            start = None
        return self._part(dim, length, plus(self.offset, times(start, self.strides[dim])))

    def _part(self, dim: int, length: Size, offset: Size) -> Geometry:
        part = self._with_dim(dim, length, self.strides[dim], offset, self.in_order and dim == 0)
        places = self.places()
        if part.in_order or not places or dim == 0 == places[dim]:
            return part
        return replace(part, order=tuple(place + (place >= places[dim]) for place in places))

    def expand(self, size: Sequence[Size]) -> Geometry:
        """`expand(size)`: -1 keeps a size (`inferExpandGeometry`).

        A new dimension of unknown size gets stride 0, which it has unless the size is 1. None is taken to have size 1
        where that isn't known: the dimensions keep their places.
        """
        added = len(size) - self.ndim
        if added < 0:
            raise GeometryError("expand: too few sizes")
        shape: list[Size] = list(size)
        strides: list[Size] = [0] * len(size)
        for dim in reversed(range(len(size))):
            if dim >= added:
                own, stride = self.shape[dim - added], self.strides[dim - added]
            else:
                if size[dim] == -1:
                    raise GeometryError("expand: -1 for a new dimension")
                own, stride = 1, times(shape[dim + 1], strides[dim + 1]) if self.ndim else 0
            shape[dim], strides[dim] = _expanded(own, stride, size[dim])
        kept = not added and 0 not in strides  # no dimension is known to be repeated
        return Geometry(tuple(shape), tuple(strides), self.offset, order=self.order if kept else None)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Geometry:
        """`diagonal(offset, dim1, dim2)`."""
        first, second = wrapped(dim1, self.ndim), wrapped(dim2, self.ndim)
        if first == second:
            raise GeometryError("diagonal: the dimensions are the same")
        rows, columns = plus(self.shape[first], min(offset, 0)), plus(self.shape[second], -max(offset, 0))
        length = None if rows is None or columns is None else max(min(rows, columns), 0)
        skipped = times(offset, self.strides[second]) if offset >= 0 else times(-offset, self.strides[first])
        rest = self._pick([dim for dim in range(self.ndim) if dim not in (first, second)])
        return Geometry(
            (*rest.shape, length),
            (*rest.strides, plus(self.strides[first], self.strides[second])),
            self.offset if length == 0 else plus(self.offset, skipped),
        )

    def unfold(self, dim: int, size: Size, step: Size) -> Geometry:
        """`Tensor.unfold(dim, size, step)`."""
        dim = wrapped(dim, self.ndim)
        own, stride = (self.shape[dim], self.strides[dim]) if self.ndim else (1, 1)
        if (own is not None and size is not None and not 0 <= size <= own) or step == 0:
            raise GeometryError("unfold: out of range")
        if self.ndim == 0:
            return Geometry((size,), (1,), self.offset)
        windows = None if own is None or size is None or step is None else (own - size) // step + 1
        rolled = self._with_dim(dim, windows, times(stride, step), self.offset)
        return Geometry((*rolled.shape, size), (*rolled.strides, stride), self.offset)

    def as_strided(self, size: Sequence[Size], stride: Sequence[Size], offset: Size | Unknown = UNKNOWN) -> Geometry:
        """`as_strided(size, stride, storage_offset)`; UNKNOWN stands for an offset that is left out: this one's."""
        if len(size) != len(stride):
            raise GeometryError("as_strided: sizes and strides don't match")
        return Geometry(tuple(size), tuple(stride), self.offset if offset is UNKNOWN else offset)

    def _with_dim(self, dim: int, size: Size, stride: Size, offset: Size, in_order: bool = False) -> Geometry:
        return Geometry(
            (*self.shape[:dim], size, *self.shape[dim + 1 :]),
            (*self.strides[:dim], stride, *self.strides[dim + 1 :]),
            offset,
            in_order,
        )

    # -- several views ------------------------------------------------------------------------

    def split(self, size: int | Sequence[Size], dim: int = 0) -> list[Geometry]:
        """`split(size, dim)` or `split([size, …], dim)`."""
        dim = self._cut(dim)
        if not isinstance(size, int):
            return self._pieces(dim, size)
        length = self.shape[dim]
        if length is None or size < 0 or (size == 0 and length) or (size and length // size > budget.LIMITS.views):
            raise GeometryError("split: an invalid size, or an unknown number of pieces")
        count = max(-(-length // size), 1) if size else 1
        return self._pieces(dim, [size] * (count - 1) + [length - size * (count - 1)])

    def chunk(self, chunks: int, dim: int = 0) -> list[Geometry]:
        """`chunk(chunks, dim)`: the usual number of pieces, if the size is unknown."""
        dim = self._cut(dim)
        length = self.shape[dim]
        if not 0 < chunks <= budget.LIMITS.views:
            raise GeometryError("chunk: not a positive number, or too large")
        if not length:
            return self._pieces(dim, [length] * chunks)
        return self.split(-(-length // chunks), dim)

    def tensor_split(self, how: int | Sequence[int], dim: int = 0) -> list[Geometry]:
        """`tensor_split(sections, dim)` or `tensor_split(indices, dim)`, which `hsplit` … call."""
        dim = self._cut(dim)
        if not isinstance(how, int):
            bounds: list[int | None] = [0, *how, None]
            return [self.slice(dim, start, stop) for start, stop in pairwise(bounds)]
        if not 0 < how <= budget.LIMITS.views:
            raise GeometryError("tensor_split: not a positive number, or too large")
        length = self.shape[dim]
        if length is None:
            return self._pieces(dim, [None] * how)
        return self._pieces(dim, [length // how + (piece < length % how) for piece in range(how)])

    def unbind(self, dim: int = 0) -> list[Geometry]:
        """`unbind(dim)`, `for row in x`."""
        dim = self._cut(dim)
        return [self.select(dim, index) for index in range(self._known(dim))]

    def _pieces(self, dim: int, sizes: Sequence[Size]) -> list[Geometry]:
        total = self.shape[dim]
        if total is not None and None not in sizes and sum(size or 0 for size in sizes) != total:
            raise GeometryError("split: the sizes don't add up")
        pieces = []
        start: Size = 0
        for size in sizes:
            pieces.append(self.narrow(dim, start, size))
            start = plus(start, size)
        return pieces

    def _cut(self, dim: int) -> int:
        if self.ndim == 0:
            raise GeometryError("split: no dimension")
        return wrapped(dim, self.ndim)

    def _known(self, dim: int) -> int:
        size = self.shape[dim]
        if size is None or size > budget.LIMITS.views:
            raise GeometryError("the number of pieces isn't known, or too large to list them")
        return size

    # -- indexing -----------------------------------------------------------------------------

    def index(self, indices: Index | tuple[Index, ...]) -> Geometry:
        """`x[indices]` with integers, slices, None and Ellipsis; an unknown integer or limit is UNKNOWN.

        This is `applySlicing` of `aten/src/ATen/TensorIndexing.h`, without tensors.
        """
        items = indices if isinstance(indices, tuple) else (indices,)
        consumed = sum(item is not None and item is not Ellipsis for item in items)
        if consumed > self.ndim:
            raise GeometryError("too many indices")
        view, dim = self, 0
        for item in items:
            if item is None:
                view, dim = view.unsqueeze(dim), dim + 1
            elif isinstance(item, EllipsisType):
                dim += self.ndim - consumed
            elif isinstance(item, slice):
                view, dim = view.slice(dim, item.start, item.stop, item.step), dim + 1
            else:
                view = view.select(dim, None if item is UNKNOWN else item)
        return view


def _ascend(groups: Sequence[Sequence[int]]) -> bool:
    """Whether each group consists of adjacent dimensions."""
    return all(after == before + 1 for group in groups for before, after in pairwise(group))


def times(*sizes: Size) -> Size:
    """The product; None if a factor is unknown, but 0 if a factor is 0."""
    if 0 in sizes:
        return 0
    known = all_known(sizes)
    return None if known is None else prod(known)


def plus(*sizes: Size) -> Size:
    """The sum; None if a summand is unknown."""
    known = all_known(sizes)
    return None if known is None else sum(known)


def wrapped(dim: int, ndim: int) -> int:
    """A dimension counted from the front; a tensor without dimensions takes 0 and -1.

    Raises `GeometryError` if it is out of range.
    """
    ndim = max(ndim, 1)
    if not -ndim <= dim < ndim:
        raise GeometryError("dimension out of range")
    return dim % ndim


def inferred(size: Sequence[Size], numel: Size) -> Shape:
    """The sizes of a tensor with `numel` elements, -1 replaced (`infer_size` of `aten/src/ATen/InferSize.h`).

    Raises `GeometryError` if the sizes can't hold that many elements.
    """
    if sum(item == -1 for item in size) > 1 or any(item is not None and item < -1 for item in size):
        raise GeometryError("invalid size")
    rest = times(*(item for item in size if item != -1))
    if -1 not in size:
        if rest is None and numel is not None and list(size).count(None) == 1:
            return inferred([-1 if item is None else item for item in size], numel)
        if rest is not None and numel is not None and rest != numel:
            raise GeometryError("the sizes don't fit the number of elements")
        return tuple(size)
    if rest is None or numel is None:
        return tuple(None if item == -1 else item for item in size)
    if rest == 0 or numel % rest:
        raise GeometryError("the sizes don't fit the number of elements")
    return tuple(numel // rest if item == -1 else item for item in size)


def _row_major(shape: Sequence[Size]) -> tuple[Size, ...]:
    strides: list[Size] = []
    step: Size = 1
    for size in reversed(shape):
        strides.append(step)
        step = times(step, None if size is None else max(size, 1))
    return tuple(reversed(strides))


def _regrouped_strides(old: tuple[int, ...], strides: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...] | None:
    """`computeStride`: runs of old dimensions that lie like a single one are divided; no new size may span two runs."""
    result = [1] * len(new)
    new_dim = len(new) - 1
    base, old_numel, new_numel = (strides[-1] if strides else 1), 1, 1
    for dim in reversed(range(len(old))):
        old_numel *= old[dim]
        if dim and (old[dim - 1] == 1 or strides[dim - 1] == old_numel * base):
            continue
        while new_dim >= 0 and (new_numel < old_numel or new[new_dim] == 1):
            result[new_dim] = new_numel * base
            new_numel *= new[new_dim]
            new_dim -= 1
        if new_numel != old_numel:
            return None
        if dim:
            base, old_numel, new_numel = strides[dim - 1], 1, 1
    return tuple(result)


def _expanded(own: Size, stride: Size, goal: Size) -> tuple[Size, Size]:
    if goal == -1 or own == goal:
        return (own, stride) if own is not None or goal == -1 else (None, None)
    if own == 1:
        return goal, 0
    if own is None:
        return goal, None
    if goal is None:
        return own, stride
    raise GeometryError("expand: the sizes don't match")


def _range(size: Size, start: Bound, stop: Bound) -> tuple[Size, Size]:
    """The first index and the length of a slice of step 1."""
    if size is not None and start is not UNKNOWN and stop is not UNKNOWN:
        first, last, _ = slice(start, stop).indices(size)
        return first, max(last - first, 0)
    if (start in (None, 0) and stop == 1) or (start == -1 and stop is None):
        return (None if start == -1 else 0), 1
    return (0 if start in (None, 0) else None), None


def _element(index: int, size: int) -> int:
    if not -size <= index < size:
        raise GeometryError("index out of range")
    return index % size


def all_known(sizes: Iterable[Size]) -> tuple[int, ...] | None:
    """The sizes, or None if one of them is unknown."""
    listed = tuple(sizes)
    known = tuple(size for size in listed if size is not None)
    return known if len(known) == len(listed) else None


def _as_list(value: int | Sequence[int]) -> Sequence[int]:
    return [value] if isinstance(value, int) else value
