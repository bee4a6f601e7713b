"""Subscripts of tensors: `t[index]`, `t[index] = value`, and the rows that a loop takes one by one.

y = x[0]            # a view: an integer, slices, None and `...` alone
y = x[mask]         # a copy, and the mask is saved
x[0] = z            # `copy_` into a view of x
x[mask] = z         # `index_put_` on x itself
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import shapes
from ..autograd.geometry import Geometry
from ..autograd.tensors import MULTI_OUTPUT, Node, Tensor, either
from ..domain.containers import Seq
from ..domain.values import Args, Phi, SliceV, Unknown, Value
from ..shapes import TensorType
from . import cases, replay
from .conversions import guess
from .overlap import check_copy, check_put, is_there, less_leading_ones
from .types import described

if TYPE_CHECKING:
    from ...facts.model import Op
    from ..autograd.geometry import Shape
    from .interpreter import Interpreter


def normal(m: Interpreter, index: Value) -> Value:
    """An index with its parts resolved; unknown parts stay unknown integers."""
    if isinstance(index, tuple):
        return tuple(part(m.state.pick(i)) for i in index)
    return part(m.state.pick(index))


def part(v: Value) -> Value:
    """A part of an index; an integer tensor without dimensions is a number (`python_variable_indexing.cpp`)."""
    if isinstance(v, Tensor) and v.shape == () and v.dtype in ("int8", "int16", "int32", "int64"):
        return Unknown("an index", number=True)
    return v


def refused(m: Interpreter, index: Value) -> bool:
    """Note that tensors refuse an index that holds a text, if it does: what it is used on may have keys."""
    holds_text = any(isinstance(one, str) for one in (index if isinstance(index, tuple) else (index,)))
    if holds_text:
        m.refused("a text as the index of a tensor")
    return holds_text


def get_item(m: Interpreter, t: Tensor, index: Value) -> Value:
    """`t[index]`: a view for integers, slices, None and `...`; a copy that saves its index for all else."""
    index = normal(m, index)
    if refused(m, index):
        return Unknown("an item")
    if m.numbers is not None:
        return m.numbers.through("torch.Tensor.__getitem__", Args([t, index]), lambda: take(m, t, index))
    return take(m, t, index)


def take(m: Interpreter, t: Tensor, index: Value) -> Value:
    """The result of a subscript whose parts are resolved."""
    items = index if isinstance(index, tuple) else (index,)
    if any(isinstance(i, Unknown) for i in items) and not cases.advanced(index):
        return unknown_index(m, t, index)
    op = m.facts.table.operator("torch.Tensor.__getitem__")
    assert op is not None
    if cases.advanced(index):
        return replay.apply(m, op, Args([t, index]))
    return select(m, t, index, op)


def select(m: Interpreter, t: Tensor, index: Value, op: Op) -> Tensor:
    """The view that a basic index gives."""
    needs = m.grad.requires_grad(t)
    node = m.grad.node("SelectBackward0" if isinstance(index, int) else "SliceBackward0", [t], needs)
    view = m.grad.view(t, index_geometry(m, t, index))
    m.grad.set_history(view, node)
    if node is not None:
        node.op = select_op(m, t, index, view)
        node.roles = ("input" if node.op == ALIAS else "self",)
    if t.label is not None and isinstance(index, int):
        view.label = f"{t.label}[{index}]"
    return view


ALIAS = "torch.alias_copy"
SEVERAL = "torch.Tensor.unsqueeze and another view"
"""something without a fact: its gradient is a view of a new one"""


def select_op(m: Interpreter, t: Tensor, index: Value, view: Tensor) -> str:
    """The operator that a basic index is replayed as: only an index that selects a part makes a new gradient."""
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(i, (int, Unknown)) for i in parts):
        first = next((i for i in parts if i is not Ellipsis and i != SliceV(None, None, None)), None)
        return SEVERAL if first is None else "torch.Tensor.select"
    if not isinstance(index, SliceV) and whole(m, t, index):
        return ALIAS
    g, h = t.geometry, view.geometry
    same = g is not None and h is not None and g.numel() == h.numel()
    return "torch.Tensor.unsqueeze" if same and None in parts else "torch.Tensor.narrow"


def index_geometry(m: Interpreter, t: Tensor, index: Value) -> Geometry | None:
    """The geometry of the view that a basic index gives."""
    if t.geometry is None:
        return None
    made = shapes.view_of("__getitem__", t.geometry, {"input": TensorType(t.shape), "indices": described(m, index)})
    return made if isinstance(made, Geometry) else None


def unknown_index(m: Interpreter, t: Tensor, index: Value) -> Value:
    """An unknown index: if it looks like an integer, the result is a view, otherwise a choice of view and copy."""
    parts = index if isinstance(index, tuple) else (index,)
    if all(not isinstance(i, Unknown) or i.number for i in parts):
        op = m.facts.table.operator("torch.Tensor.__getitem__")
        assert op is not None
        return select(m, t, index, op)
    view = m.grad.view(t, None)
    m.grad.set_history(view, m.grad.node("SelectBackward0", [t], m.grad.requires_grad(t)))
    copy = m.grad.tensor(None, t.dtype)
    node = m.grad.node("IndexBackward0", [t], m.grad.requires_grad(t))
    if node is not None:
        node.holds = True
        m.grad.set_history(copy, node)
    return Phi(guess("the index is a number or a slice", t, m), view, copy)


def set_item(m: Interpreter, t: Tensor, index: Value, value: Value) -> None:
    """`t[index] = value`: `copy_` or `fill_` on a view, `index_put_` for an advanced index; one bump."""
    index = normal(m, index)
    value = m.state.resolve(value)
    if index is False or refused(m, index):
        return  # `set_item` of TensorIndexing.h: nothing is taken
    index = None if index is True else index
    if type(value) is Phi:
        m.state.each(value, lambda one: set_item(m, t, index, one))
        return
    if m.numbers is None:
        put(m, t, index, value)
    elif not cases.advanced(index) and whole(m, t, index):
        m.numbers.through("torch.Tensor.copy_", Args([t, value]), lambda: put(m, t, index, value))
    else:
        m.numbers.through("torch.Tensor.__setitem__", Args([t, index, value]), lambda: put(m, t, index, value))


def put(m: Interpreter, t: Tensor, index: Value, value: Value) -> None:
    """Write one value to what an index selects."""
    sources = cases.tensors_in(m, value)
    indices = cases.tensors_in(m, index)
    advanced = cases.advanced(index)
    needs = m.grad.requires_grad(t)
    with m.here.writing(m.here.node, None, "[…] ="):
        target = t
        if not advanced and not whole(m, t, index):
            target = view_for_write(m, t, index)
        if not advanced and not m.grad.mode["inference"]:
            sources = [fitted(m, s, target.shape) for s in sources]
        for s in sources:
            needs = either(needs, m.grad.requires_grad(s))
        if not m.grad.check_inplace(target, needs, advanced and through_view(m, t, index)):
            return
        items = index if isinstance(index, tuple) else (index,)
        taken = [i for i in items if isinstance(i, Tensor)]
        if not (check_put(m, target, taken, sources) if advanced else check_copy(m, target, *sources[:1])):
            return
        given = [less_ones(m, s, None if advanced else target.shape) for s in sources]
        node = m.grad.node("IndexPutBackward0" if advanced else "CopySlices", [t, *given], needs)
        if node is not None:
            node.op = "torch.Tensor.index_put_" if advanced else "torch.Tensor.copy_"
            node.roles = ("self", *(("values" if advanced else "src") for _ in sources))
        if node is not None and advanced:
            node.holds = True
            for i in indices:
                m.grad.save(node, i, "index")
        m.grad.bump(
            t, m.here.via, same=bool(sources) and not advanced and is_there(m, target, sources[0]), where=target
        )
        if target is t or advanced:
            m.grad.rebase(t, node)
        else:
            m.grad.rebase(target, node)


def through_view(m: Interpreter, t: Tensor, index: Value) -> bool:
    """Whether an advanced index takes a view by its basic parts first (`applySlicing`): `x[0, mask]`, `x[1:, mask]`."""
    parts = tuple(i for i in index if i is not Ellipsis) if isinstance(index, tuple) else ()
    if any(i is None or isinstance(i, (int, Unknown)) for i in parts):
        return True
    slices = tuple(i if isinstance(i, SliceV) else SliceV(None, None, None) for i in parts)
    return any(i in slices for i in parts) and not whole(m, t, slices)


def whole(m: Interpreter, t: Tensor, index: Value) -> bool:
    """Whether an index selects the whole tensor, which is then written itself, not through a view (`applySlice`).

    Releases with the habit `slices_whole` make a view for any slice.
    """
    parts = index if isinstance(index, tuple) else (index,)
    slices = [i for i in parts if isinstance(i, SliceV)]
    if slices and m.facts.habits.slices_whole:
        return False
    if any(i is not Ellipsis and not isinstance(i, SliceV) for i in parts):
        return False
    if any(i.lower not in (None, 0) or i.step not in (None, 1) for i in slices):
        return False
    if all(i.upper is None for i in slices):
        return True
    view = index_geometry(m, t, index)
    return view is not None and None not in view.shape and view.shape == t.shape


def view_for_write(m: Interpreter, t: Tensor, index: Value) -> Tensor:
    """The view that `t[index] = …` writes through."""
    view = m.grad.view(t, index_geometry(m, t, index))
    needs = m.grad.requires_grad(t)
    m.grad.set_history(view, m.grad.node("SliceBackward0", [t], needs))
    view.label = t.label
    return view


def fitted(m: Interpreter, value: Tensor, shape: Shape | None) -> Tensor:
    """An inference tensor to be stored, expanded to its target's shape; autograd doesn't record that."""
    if value.is_inference is not True or None in (shape, value.shape) or value.shape == shape:
        return value
    view = m.grad.view(value, value.geometry)
    view.label = value.label
    return view


def less_ones(m: Interpreter, value: Tensor, shape: Shape | None) -> Tensor:
    """The view that is stored in place of a value with leading ones in its shape, if its target has another shape."""
    g = value.geometry
    if g is None or not g.ndim or g.shape[0] != 1 or g.shape == shape or m.grad.requires_grad(value) is False:
        return value
    view = m.grad.view(value, less_leading_ones(g))
    node = m.grad.node("ViewBackward0", [value], m.grad.requires_grad(value))
    m.grad.set_history(view, node)
    if node is not None:
        node.op, node.roles = "torch.Tensor.view", ("self",)
    view.label = value.label
    return view


def rows(m: Interpreter, t: Tensor, want: int | None) -> Seq:
    """Iterating over a tensor is `unbind(0)`: multi-output views of its rows."""
    n = t.shape[0] if t.shape else None
    if t.shape == ():
        return Seq(())
    needs = m.grad.requires_grad(t)
    node: Node | None = m.grad.node("UnbindBackward0", [t], needs)
    if node is not None:
        node.op, node.roles = "torch.Tensor.unbind", ("self",)
    row = index_geometry(m, t, 0) if n else None

    def piece(i: int) -> Tensor:
        g = index_geometry(m, t, i) if n is not None and i < n else row
        view = m.grad.view(t, g, MULTI_OUTPUT, i)
        m.grad.set_history(view, node, i)
        return view

    if n is not None and n <= 64:
        return Seq([piece(i) for i in range(n)])
    return Seq([piece(i) for i in range(want)] if want and n is None else (), True, piece)
