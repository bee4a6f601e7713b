"""Calls that give their argument itself where nothing is to be done, and a copy or a view elsewhere.

When that is so, a family of operators says (`rules/conversions.py`, `rules/reshapes.py`). Where nothing tells, both are
followed:

    y = x.to(device)        # y is x, or a copy of it
    y.add_(1)               # changes x in one of the two cases: a failure that rests on that is a guess
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...syntax import ir
from ..autograd.geometry import Geometry
from ..autograd.tensors import Node, Storage, Tensor, Version
from ..domain.values import Cond, Phi, Value
from ..shapes import TensorType, view_of
from . import layouts, writes
from .cases import called
from .types import described_all

if TYPE_CHECKING:
    from ...facts.model import Case, Result
    from .call import Call
    from .interpreter import Interpreter


def given_back(m: Interpreter, case: Case, call: Call) -> Tensor | None:
    """The argument that a call is known to return unchanged; autograd records nothing of such a call."""
    family = call.family
    if case.mutates or len(case.results) != 1 or called(call.name).endswith("_") or family.finds_out:
        return None
    same = family.gives_back(m, call) if family.gives_back is not None else None
    if same is not None:
        return same
    source = next(iter(call.tensors.get(case.results[0].of or "", ())), None)
    if source is None or case.results[0].kind not in ("same", "depends") or is_viewed(call, source):
        return None
    return source if case.results[0].kind == "same" or is_unchanged(m, call, source) else None


def is_unchanged(m: Interpreter, call: Call, source: Tensor) -> bool | None:
    """Whether a call returns its argument unchanged; None if that is unknown."""
    return call.family.unchanged(m, call, source) if call.family.unchanged is not None else None


def is_viewed(call: Call, source: Tensor) -> bool:
    """Whether a call returns a view of the whole argument where others return the argument itself."""
    return call.family.gives_view is not None and call.family.gives_view(call, source)


def decide(m: Interpreter, r: Result, source: Tensor, node: Node | None, type_: TensorType | None, call: Call) -> Value:
    """The argument itself, a view or a copy; if that is unknown, a choice of both that depends on a guess."""
    family = call.family
    if family.otherwise is not None:
        return family.otherwise(m, call, source, node)
    same = is_unchanged(m, call, source)
    if same is None and family.copies_at_most and is_temporary(m, source):
        same = type_ is not None and type_.dtype == source.dtype
    if same is True:
        return itself(m, source, node, call)
    if same is False and family.otherwise_view:
        return viewed(m, source, node, type_, call)
    made = copy(m, r, node, type_, call)
    return made if same is False else Phi(to_itself(m, called(call.name), source, call), source, made)


def copy(m: Interpreter, r: Result, node: Node | None, type_: TensorType | None, call: Call) -> Tensor:
    """A copy of the argument."""
    t = m.grad.tensor(None, None)
    if type_ is not None:
        made = Geometry.contiguous(type_.shape) if type_.shape is not None else None
        t.geometry_ = made and layouts.of_result(m, made, call)
        t.dtype_ = type_.dtype
    m.grad.counter(t).current = Version(*writes.times(m, call, r.version))
    if r.differentiable:
        m.grad.set_history(t, node)
    return t


def is_temporary(m: Interpreter, source: Tensor) -> bool:
    """Whether a method is called on the new result of a call, which nobody else holds: a copy is as good as itself."""
    node, storage = m.here.node, m.state.resolve(source.storage)
    if not (isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute) and isinstance(storage, Storage)):
        return False
    is_fresh = storage.site is not None and storage.site.node is node.func.value
    return is_fresh and source.alias_of is source.base is source.grad_fn is None and source.requires_grad_ is False


def to_itself(m: Interpreter, name: str, source: Tensor, call: Call) -> Cond:
    """The question whether a call returns the tensor itself."""
    text = f"{name}() gives the tensor itself"
    return (call.family.question or asked_of)(m, call, source, text)


def asked_of(m: Interpreter, call: Call, source: Tensor, text: str) -> Cond:
    """A question about one tensor, at this place."""
    return guess(text, source, m)


def itself(m: Interpreter, source: Tensor, node: Node | None, call: Call) -> Tensor:
    """The argument as it is, or a view of all of it."""
    if not is_viewed(call, source):
        return source
    t = m.grad.view(source, source.geometry)
    m.grad.set_history(t, node or m.grad.node("SqueezeBackward1", [source], m.grad.requires_grad(source)))
    return t


def viewed(m: Interpreter, source: Tensor, node: Node | None, type_: TensorType | None, call: Call) -> Tensor:
    """`atleast_2d(t)` of a tensor with fewer dimensions, `real(t)` of a complex one: a view."""
    described = described_all(m, call.values)
    made = view_of(call.name, source.geometry, described) if source.geometry is not None else None
    t = m.grad.view(source, made if isinstance(made, Geometry) else None)
    t.dtype_ = type_.dtype if type_ is not None else source.dtype
    m.grad.set_history(t, node)
    return t


def guess(text: str, source: Tensor, m: Interpreter, kind: str = "guess") -> Cond:
    """A question that only dtypes, sizes, strides or devices at run time can answer."""
    return Cond((text, source.uid, id(m.here.node)), kind, text, m.here.site)
