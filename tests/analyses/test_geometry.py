"""The geometry of views, held against real tensors."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from gradguard.analyses.autograd.geometry import UNKNOWN, Geometry, GeometryError
from gradguard.analyses.autograd.regions import partly_overlaps
from hypothesis import given, settings
from hypothesis import strategies as st

torch.set_num_threads(1)

small = st.integers(-3, 3)
bounds = st.none() | st.integers(-5, 5)
slices = st.builds(slice, bounds, bounds, st.none() | st.integers(1, 3))


def of(tensor: torch.Tensor) -> Geometry:
    return Geometry(tuple(tensor.shape), tensor.stride(), tensor.storage_offset())


@st.composite
def steps(draw: st.DrawFn, ndim: int, numel: int) -> tuple[str, tuple[Any, ...]]:
    """One view call that has a fair chance to be legal."""
    dim = st.integers(-max(ndim, 1), max(ndim, 1) - 1)
    sizes = st.sampled_from([1, 2, 3, 4, 6, -1])
    name = draw(st.sampled_from(sorted(CALLS)))
    arguments = {
        "view": st.tuples(st.lists(sizes, max_size=4)),
        "reshape": st.tuples(st.lists(sizes, max_size=4)),
        "expand": st.tuples(st.lists(sizes, min_size=ndim, max_size=ndim + 2)),
        "permute": st.tuples(st.permutations(list(range(ndim)))),
        "transpose": st.tuples(dim, dim),
        "t": st.just(()),
        "movedim": st.tuples(dim, dim),
        "select": st.tuples(dim, small),
        "slice": st.tuples(dim, slices),
        "narrow": st.tuples(dim, small, st.integers(0, 3)),
        "squeeze": st.tuples(st.none() | dim),
        "unsqueeze": st.tuples(st.integers(-ndim - 1, ndim)),
        "diagonal": st.tuples(small, dim, dim),
        "unfold": st.tuples(dim, st.integers(1, 3), st.integers(1, 2)),
        "as_strided": st.tuples(st.just([2, 2]), st.lists(st.integers(0, 3), min_size=2, max_size=2)),
        "flatten": st.tuples(dim, dim),
        "unflatten": st.tuples(dim, st.lists(sizes, min_size=1, max_size=3)),
        "split": st.tuples(st.integers(0, 3) | st.lists(st.integers(0, 3), min_size=1, max_size=3), dim),
        "chunk": st.tuples(st.integers(1, 4), dim),
        "tensor_split": st.tuples(st.integers(1, 4) | st.lists(small, max_size=3), dim),
        "unbind": st.tuples(dim),
        "index": st.tuples(st.lists(st.none() | small | slices, max_size=3).map(tuple)),
    }
    return name, draw(arguments[name])


def by_slice(tensor: torch.Tensor, dim: int, part: slice) -> torch.Tensor:
    return torch.ops.aten.slice(tensor, dim, part.start, part.stop, part.step or 1)


# name → (what PyTorch does, what the geometry does)
NAMESAKES = """
    view expand permute transpose t movedim select narrow unsqueeze diagonal unfold as_strided
    unflatten split chunk tensor_split unbind
"""
CALLS: dict[str, tuple[Any, Any]] = {
    **{name: (getattr(torch.Tensor, name), getattr(Geometry, name)) for name in NAMESAKES.split()},
    "reshape": (torch.Tensor.reshape, lambda g, size: g.reshape(size)[0]),
    "flatten": (torch.Tensor.flatten, lambda g, start, end: g.flatten(start, end)[0]),
    "squeeze": (lambda t, dim: t.squeeze() if dim is None else t.squeeze(dim), Geometry.squeeze),
    "slice": (by_slice, lambda g, dim, part: g.slice(dim, part.start, part.stop, part.step)),
    "index": (torch.Tensor.__getitem__, Geometry.index),
}

PARTS = ("slice", "narrow")
"""calls that leave elements out, mostly"""


def attempt(call: Any, subject: Any, arguments: tuple[Any, ...]) -> Any:
    try:
        return call(subject, *arguments)
    except (RuntimeError, IndexError, GeometryError):
        return None


@st.composite
def views(draw: st.DrawFn, base: torch.Tensor, length: int) -> tuple[torch.Tensor, Geometry]:
    """A chain of views of `base` with PyTorch's and with our geometry, compared at each step."""
    tensor, geometry = base, of(base)
    for _ in range(length):
        name, arguments = draw(steps(tensor.dim(), tensor.numel()))
        real, ours = CALLS[name]
        expected = attempt(real, tensor, arguments)
        actual = attempt(ours, geometry, arguments)
        if expected is None:
            assert actual is None or name in ("as_strided", "permute"), (name, arguments, geometry)
            continue
        if isinstance(expected, torch.Tensor):
            expected, actual = [expected], [actual]
        assert [of(piece) for piece in expected] == list(actual), (name, arguments, geometry)
        position = draw(st.integers(0, len(expected) - 1)) if expected else None
        if position is None or expected[position].untyped_storage().data_ptr() != base.untyped_storage().data_ptr():
            assert name not in ("reshape", "flatten") or ours_copies(name, geometry, arguments)
            continue
        tensor, geometry = expected[position], actual[position]
    return tensor, geometry


def ours_copies(name: str, geometry: Geometry, arguments: tuple[Any, ...]) -> bool:
    return getattr(geometry, name)(*arguments)[1] is False


shapes = st.lists(st.integers(0, 4) | st.integers(2, 4), max_size=4)


@settings(max_examples=300, deadline=None)
@given(st.data(), shapes)
def test_chains_of_views(data: st.DataObject, shape: list[int]) -> None:
    tensor, geometry = data.draw(views(torch.zeros(shape), 5))
    assert geometry.is_contiguous() == tensor.is_contiguous()
    assert geometry.numel() == tensor.numel()
    verdict = {0: False, 1: True, 2: None}[torch._debug_has_internal_overlap(tensor)]
    assert geometry.overlaps_itself() is verdict


@settings(max_examples=200, deadline=None)
@given(st.data(), st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_two_views_of_one_storage(data: st.DataObject, shape: list[int]) -> None:
    base = torch.zeros(shape)
    target, mine = data.draw(views(base, 3))
    source, other = data.draw(views(base, 3))
    if mine.overlaps_itself():
        return
    try:
        target.copy_(source)
    except RuntimeError as error:
        if "match" in str(error):
            return
        assert "refer to a single memory location" in str(error)
        assert partly_overlaps(mine, other) == "partial"
    else:
        assert partly_overlaps(mine, other) != "partial"


def test_a_row_of_what_was_moved_away_may_be_contiguous() -> None:
    geometry = Geometry.contiguous([2, 2, None]).movedim(0, 1)
    assert geometry.select(1, 0).is_usually_contiguous() is not False
    assert geometry.select(0, 0).is_usually_contiguous() is False
    assert torch.zeros(2, 2, 2).movedim(0, 1).select(1, 0).is_contiguous()
    assert not torch.zeros(2, 2, 2).movedim(0, 1).select(0, 0).is_contiguous()


@settings(max_examples=300, deadline=None)
@given(st.data(), st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_what_is_said_of_unknown_sizes_is_true(data: st.DataObject, shape: list[int]) -> None:
    tensor = torch.zeros(shape)
    hidden = data.draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    geometry = Geometry.contiguous([None if hide else size for size, hide in zip(shape, hidden, strict=True)])
    usual = 1 not in shape
    for _ in range(3):
        name, arguments = data.draw(steps(tensor.dim(), tensor.numel()))
        real, ours = CALLS[name]
        expected, actual = attempt(real, tensor, arguments), attempt(ours, geometry, arguments)
        if not isinstance(expected, torch.Tensor) or 0 in expected.shape or actual is None:
            continue
        whole = name == "index" or (name in PARTS and expected.shape == tensor.shape)
        usual = usual and 1 not in expected.shape and not whole
        tensor, geometry = expected, actual
        assert len(geometry.shape) == tensor.dim()
        assert agrees(geometry.shape, tensor.shape)
        assert agrees(geometry.strides, tensor.stride()), (name, arguments)
        assert geometry.offset in (None, tensor.storage_offset()), (name, arguments)
        assert geometry.is_contiguous() in (None, tensor.is_contiguous())
        if usual:
            assert geometry.is_usually_contiguous() in (None, tensor.is_contiguous())
            flat = attempt(torch.Tensor.view, tensor, (-1,)) if tensor.dim() else tensor
            assert geometry.usually_merges([range(tensor.dim())]) in (None, isinstance(flat, torch.Tensor))


def agrees(known: tuple[int | None, ...], real: tuple[int, ...]) -> bool:
    return all(ours in (None, theirs) for ours, theirs in zip(known, real, strict=True))


def test_unknown_sizes_keep_what_can_be_known() -> None:
    batch = Geometry.contiguous((None, 3, 4))
    assert batch.strides == (12, 4, 1)
    assert batch.is_contiguous() is True
    assert batch.view((-1, 12)) == Geometry((None, 12), (12, 1))
    assert batch.flatten(1) == (Geometry((None, 12), (12, 1)), True)
    assert batch.transpose(0, 1).reshape((3, -1))[1] is None
    assert batch.index((UNKNOWN, slice(1, 3))) == Geometry((2, 4), (4, 1), None)
    assert batch.index((0, Ellipsis, None)) == Geometry((3, 4, 1), (4, 1, 1))
    assert batch.chunk(2, dim=2)[1] == Geometry((None, 3, 2), (12, 4, 1), 2)


def test_a_size_that_is_not_known_may_be_one() -> None:
    assert Geometry.contiguous((None, 4)).transpose(0, 1).is_contiguous() is None
    assert Geometry.contiguous((1, 4)).expand((None, 4)).overlaps_itself() is None
    assert Geometry.contiguous((None, 4)).expand((5, None, 4)).overlaps_itself() is True


@pytest.mark.parametrize(
    ("geometry", "overlaps"),
    [
        (Geometry.contiguous((10,)).unfold(0, 3, 1), True),
        (Geometry.contiguous((10,)).unfold(0, 3, 3), False),
        (Geometry((2, 2), (1, 1)), True),
        (Geometry((3, 4), (1, 3)), False),
        (Geometry((2, 0), (1, 1)), False),
        (Geometry((2, 5), (0, 1)), True),
        (Geometry((2, None), (None, 1)), False),
    ],
)
def test_elements_that_share_places_are_seen_where_aten_cannot_tell(geometry: Geometry, overlaps: bool) -> None:
    assert geometry.may_overlap_itself() is overlaps


def test_unknown_memory_is_no_reason_for_a_verdict() -> None:
    geometry = Geometry.unknown((3, 4))
    assert geometry.is_contiguous() is None
    assert geometry.overlaps_itself() is None
    assert partly_overlaps(geometry, geometry) is None
    viewed = geometry.view((12,))
    assert viewed is not None
    assert viewed.shape == (12,)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (Geometry.contiguous((4, 5)).slice(0, 1), Geometry.contiguous((4, 5)).slice(0, 0, -1), "partial"),
        (Geometry.contiguous((4, 5)).slice(0, 2), Geometry.contiguous((4, 5)).slice(0, 0, 2), "no"),
        (Geometry.contiguous((4, 4)), Geometry.contiguous((4, 4)).t(), "partial"),
        (Geometry.contiguous((4, 4)), Geometry.contiguous((4, 4)), "full"),
        (Geometry.contiguous((4, 5)).slice(1, 1), Geometry.contiguous((4, 5)).slice(1, 0, -1), "too-hard"),
    ],
)
def test_overlap(first: Geometry, second: Geometry, verdict: str) -> None:
    assert partly_overlaps(first, second) == verdict


def test_a_view_keeps_the_strides_of_single_elements() -> None:
    t = torch.zeros(1, 1, 2).movedim(0, -1)
    assert t.is_contiguous() and t.view(1, 2, 1).stride() == (2, 1, 2)
    viewed = Geometry((1, None, 1), (None, 1, None), 0, in_order=True).view((1, None, 1))
    assert viewed is not None and viewed.strides == (None, None, None)
