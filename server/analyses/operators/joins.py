"""An operator on one of several tensors gives one new tensor, with several pasts.

    y = x.exp() if flag else x.sin()
    z = y * 2                   # one tensor; its node leads to ExpBackward0 if `flag` holds, else to SinBackward0

Results that are new and of one kind differ in nothing but their nodes. So they are joined to one tensor, whose history
is chosen by the condition, and what comes after is replayed once and not for each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..autograd.geometry import Geometry
from ..autograd.tensors import Node, Tensor, Version
from ..domain import budget
from ..domain.known import key_of, nests
from ..domain.values import Phi, Unknown, Value, leaves, serial

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .interpreter import Interpreter


def each(m: Interpreter, operand: Value, run: Callable[[Value], Value]) -> Value:
    """Run an operator on each alternative of an operand, and join its results to one if possible."""
    begun = serial()
    result = m.state.each(operand, run)
    return result if m.numbers is not None else one(m, result, begun)


def one(m: Interpreter, result: Value, begun: int) -> Value:
    """One tensor in place of several that were made since `begun`; the value itself if more than their past differs.

    Where one of the alternatives is unknown, it stays beside the tensor.
    """
    if type(result) is not Phi:
        return result
    made = leaves(result)
    if all(is_plain(v) for v in made):
        key = key_of_choice(result)
        return Unknown(
            made[0].why, None if nests(key, budget.LIMITS.choice_levels) else key, number=all(v.number for v in made)
        )
    new = [t for t in made if isinstance(t, Tensor)]
    if len(new) < 2 or not all(isinstance(v, (Tensor, Unknown)) for v in made):
        return result
    if not all(is_new(m, t, begun) for t in new):
        return result
    first, *others = new
    kind, type_ = kind_of(m, first), type_of(first)
    if any(kind_of(m, t) != kind for t in others):
        return result
    if any(type_of(t) != type_ for t in others):
        if len(new) <= budget.LIMITS.types_apart:
            return result
        first.geometry_, first.dtype_ = widest(new)
    past = m.state.each_way(result, lambda t: t.grad_fn if isinstance(t, Tensor) else None)
    for t in others:
        if t is not first:
            stand_for(m, t, first)
    first.grad_fn = past
    return beside(m, result, first)


def beside(m: Interpreter, v: Value, t: Tensor) -> Value:
    """A choice of tensors and unknown values, with one tensor in place of all."""
    if type(v) is Phi:
        return m.state.merge(v.cond, beside(m, v.then, t), beside(m, v.orelse, t))
    return t if isinstance(v, Tensor) else v


def is_plain(v: Value) -> bool:
    """Whether all that is known of a value is that it was computed: a size, a count."""
    return isinstance(v, Unknown) and v.tensor is None and not (v.parameter or v.data or v.own or v.result or v.history)


def key_of_choice(v: Value) -> Any:
    """What identifies a choice of unknown values: the same choice among the same values is the same value."""
    if type(v) is not Phi:
        return key_of(v)
    return ("one of", v.cond.key, key_of_choice(v.then), key_of_choice(v.orelse))


def is_new(m: Interpreter, t: Tensor, begun: int) -> bool:
    """Whether a tensor was made here since `begun`, with memory of its own, and only its node refers to it.

    The modules of an `nn.Sequential` are all called at one place, and `nn.Identity` gives what another one has made.
    """
    own = t.uid > begun and t.origin == m.here.site and t.base is None and t.attr_version is None and t.alias_of is None
    plain = own and all(isinstance(fn, (Node, type(None))) for fn in leaves(t.grad_fn))
    return plain and isinstance(m.grad.counter(t).current, Version)


def kind_of(m: Interpreter, t: Tensor) -> tuple[object, ...]:
    """Everything in which new tensors can differ, except their past and their types."""
    version = m.grad.version(t)
    flags = t.requires_grad_, t.is_inference, t.output_nr, t.grad, t.data_version, t.numbers, t.hooks
    return len(t.attributes), flags, t.label, (version.low, version.high, version.write)


def type_of(t: Tensor) -> tuple[object, ...]:
    """How a new tensor lies in its memory, and its dtype."""
    return t.geometry_, t.dtype_


def widest(made: Sequence[Tensor]) -> tuple[Geometry | None, str | None]:
    """What is known of the type of each of several tensors: nothing in which they differ."""
    dtypes = {t.dtype for t in made}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    layouts = [g for t in made if (g := t.geometry) is not None]
    if len(layouts) < len(made) or len({g.ndim for g in layouts}) > 1:
        return None, dtype
    sizes = (set(each) for each in zip(*(g.shape for g in layouts), strict=True))
    shape = tuple(each.pop() if len(each) == 1 else None for each in sizes)
    orders = {g.order for g in layouts}
    return replace(Geometry.unknown(shape), order=orders.pop() if len(orders) == 1 else None), dtype


def stand_for(m: Interpreter, t: Tensor, other: Tensor) -> None:
    """Replace a tensor by another one in its nodes."""
    counter, storage = m.grad.counter(other), m.grad.storage(other)
    version, content = counter.current, storage.content
    for node in filter(None, leaves(t.grad_fn)):
        node.outputs = tuple(other if made is t else made for made in node.outputs)
        node.saved = tuple(
            replace(s, tensor=other, storage=storage, counter=counter, version=version, content=content)
            if s.tensor is t
            else s
            for s in node.saved
        )
