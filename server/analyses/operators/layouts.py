"""How a result lies in memory of its own: row by row, as the operands do, or in columns, as the facts tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...facts.layouts import ROWS
from ..autograd.geometry import Geometry, all_known
from ..autograd.tensors import Tensor
from ..domain.values import Lib

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...facts.layouts import Layout
    from ..autograd.geometry import Shape
    from .call import Call
    from .interpreter import Interpreter


IMAGES = {4: "channels_last", 5: "channels_last_3d"}
"""the memory formats by the dimensions that tensors have in them"""


def assumed(t: Tensor, shape: Shape) -> Geometry:
    """A geometry for a tensor of which none is known: a result is taken to be in order, a view may be anything."""
    return Geometry.contiguous(shape) if t.base is None else Geometry.unknown(shape)


def kind_of_guess(t: Tensor) -> str:
    """The kind of a question about the layout of a tensor: most lie in order, but a view may be anything."""
    return "layout" if t.base is None else "guess"


def tell_rank(m: Interpreter, t: Tensor, ndim: int) -> None:
    """Take a tensor of which nothing is known for one of so many dimensions."""
    if t.geometry is None:
        m.state.put(t, Tensor.geometry_, Geometry.of_rank(ndim))


def memory_format(call: Call) -> str | None:
    """The memory format that a call asks for, if it names one: `contiguous_format`."""
    v = call.values.get("memory_format")
    return v.name.rpartition(".")[2] if isinstance(v, Lib) else None


def is_by_pixels(g: Geometry) -> bool | None:
    """Whether a tensor is in the memory format `channels_last`, or `channels_last_3d`."""
    return g.movedim(1, -1).is_usually_contiguous() if g.ndim in IMAGES else False


def by_pixels(g: Geometry) -> Geometry:
    """Fresh memory of that shape in the memory format `channels_last`, or `channels_last_3d`."""
    return Geometry.contiguous((g.shape[0], *g.shape[2:], g.shape[1])).movedim(-1, 1)


def of_result(m: Interpreter, g: Geometry, call: Call, number: int = 0) -> Geometry:
    """The layout of one of a call's results whose shape is known."""
    if call.family.conjugated:
        return Geometry.unknown(g.shape)
    asked = memory_format(call)
    if asked == "contiguous_format":
        return g
    if asked is not None and asked.startswith("channels_last"):
        return by_pixels(g) if g.ndim in IMAGES else g
    given = [t.geometry for t in call.given()]
    if call.family.in_one_format:
        formats = {one and is_by_pixels(one) for one in given}
        if False in formats or formats == {True}:
            return g if False in formats else by_pixels(g)
    return laid_out(m, g, call.name, given, number)


def laid_out(m: Interpreter, g: Geometry, name: str, given: Sequence[Geometry | None], number: int = 0) -> Geometry:
    """The same by the layouts of the arguments; the strides are unknown if no rule gives them."""
    told = m.facts.layouts.find(name, number)
    if g.ndim < 2 or told == ROWS:
        return g
    contiguous = [one is not None and one.is_contiguous() for one in given]
    rule = told[0] if all(contiguous) else told[1] if False in contiguous or told[0] == told[1] else None
    return _by_rule(g, rule, given) or _by_all(g, given) or _by_order(g, told, given) or Geometry.unknown(g.shape)


def _by_all(g: Geometry, given: Sequence[Geometry | None]) -> Geometry | None:
    """The layout on which all rules agree, for instance that of a single element."""
    rows = _by_rule(g, "rows", given)
    alike = g.numel() == 1 and all(_by_rule(g, rule, given) == rows for rule in ("columns", "first"))
    return rows if alike else None


def _by_order(g: Geometry, told: Sequence[Layout | None], given: Sequence[Geometry | None]) -> Geometry | None:
    """The layout of a result of unknown strides, if its operands lie in one order, as most do."""
    whole = [one for one in given if one is not None and one.ndim == g.ndim]
    orders = {tuple(sorted(range(g.ndim), key=one.places().__getitem__)) if one.places() else None for one in whole}
    order = orders.pop() if len(orders) == 1 else None
    if order is None or (order != tuple(range(g.ndim)) and told[1] == "rows"):
        return None
    return replace(Geometry.unknown(g.shape), order=tuple(order.index(dim) for dim in range(g.ndim)))


def _by_rule(g: Geometry, rule: Layout | None, given: Sequence[Geometry | None]) -> Geometry | None:
    if rule == "rows":
        return g
    if rule == "columns":
        return Geometry.contiguous((*g.shape[:-2], g.shape[-1], g.shape[-2])).transpose(-2, -1)
    if rule == "first":
        given = given[:1]
    operands = [one for one in given if one is not None]
    if rule is None or len(operands) < len(given) or not all(_fits(one, g) for one in operands):
        return None
    if rule == "operands":
        return iterated(g.shape, operands)
    first = operands[0] if operands else g
    return (
        Geometry(g.shape, first.strides) if first.shape == g.shape and first.is_dense() else iterated(g.shape, [first])
    )


def _fits(one: Geometry, result: Geometry) -> bool:
    """Whether an operand is broadcast to the result."""
    own = result.shape[result.ndim - one.ndim :]
    return one.ndim <= result.ndim and all(size in (1, goal) for size, goal in zip(one.shape, own, strict=True))


def iterated(shape: Shape, operands: Sequence[Geometry]) -> Geometry | None:
    """How `TensorIterator` lays out a new result of that shape; None if that is unknown.

    If all operands have one layout, the result has it too. Otherwise the strides of the first operand order the
    dimensions (`reorder_dimensions`); what they leave open, those of the next one decide.
    """
    known = [(g.shape, all_known(g.strides)) for g in operands]
    if all_known(shape) is None or any(all_known(own) is None or strides is None for own, strides in known):
        return None
    if all(g.shape == shape for g in operands):
        if all(g.is_contiguous() for g in operands):
            return Geometry.contiguous(shape)
        if operands[0].is_dense() and all(g.strides == operands[0].strides for g in operands):
            return Geometry(shape, operands[0].strides)
    order = _reordered(shape, [_broadcast_strides(shape, g) for g in operands])
    strides, step = dict[int, int](), 1
    for dim in order:
        strides[dim] = step
        step *= shape[dim] or 1
    return Geometry(shape, tuple(strides[dim] for dim in range(len(shape))))


def _broadcast_strides(shape: Shape, g: Geometry) -> list[int]:
    own = zip(g.shape, g.strides, shape[len(shape) - g.ndim :], strict=True)
    return [0] * (len(shape) - g.ndim) + [0 if size == 1 != goal else stride or 0 for size, stride, goal in own]


def _reordered(shape: Shape, operands: Sequence[Sequence[int]]) -> list[int]:
    """The dimensions from the innermost one on: an insertion sort that goes on where the strides don't decide."""

    def comes_after(one: int, other: int) -> bool | None:
        for strides in operands:
            if 0 in (strides[one], strides[other]):
                continue
            if strides[one] != strides[other]:
                return strides[one] > strides[other]
            if (shape[one] or 0) > (shape[other] or 0):
                return True
        return None

    order = list(reversed(range(len(shape))))
    for start in range(1, len(order)):
        at = start
        for before in reversed(range(start)):
            answer = comes_after(order[before], order[at])
            if answer:
                order[before], order[at] = order[at], order[before]
                at = before
            elif answer is False:
                break
    return order
