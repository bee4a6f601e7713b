"""Calls with `out=`: what becomes of a tensor that is given for the result (`resize_output`, ATen/native/Resize.h)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import shapes
from ..autograd.geometry import Geometry, Shape
from ..autograd.tensors import Grad, Tensor, conditions, either, ways
from ..domain.values import Cond, Value
from ..shapes import TensorType
from ..shapes.dtypes import is_integral
from . import layouts
from .cases import called, gradients
from .overlap import check_overlap
from .saves import save_inputs
from .types import described_all

if TYPE_CHECKING:
    from ...facts.model import Case, Op
    from ..autograd.gradients import Times
    from ..domain.paths import Guards
    from .call import Call
    from .interpreter import Interpreter


def write_out(m: Interpreter, op: Op, case: Case, call: Call, out: Value, outs: list[Tensor]) -> Value:
    """A call with `out=` writes the given tensors; most operators refuse it if anything requires grad."""
    previous, m.here.via = m.here.via, "out="
    try:
        needs = asked_of_out(m, case, call, outs) if m.grad.grad_mode else False
        joins = op.out_graph in ("joins", "joins, no leaf", "depends")
        if refuse_out(m, op, outs, needs):
            return out
        inputs = [(p, t) for p in call.tensors for t in call.tensors[p] if p in case.flows]
        for t, shape in zip(outs, out_shapes(m, op, call, len(outs)), strict=True):
            if not m.grad.check_inplace(t, needs if joins and op.out_graph != "depends" else False):
                continue
            times = out_times(op, t, shape)
            if not op.out_early:
                resize_out(m, call, t, shape)
            if not check_overlap(m, t, call):
                continue
            if op.out_early:
                resize_out(m, call, t, shape)
            node = m.grad.node(case.node or called(op.name), [t for _, t in inputs], needs if joins else False)
            if node is not None:
                node.called = called(op.name)
                save_inputs(m, node, case, call, gradients(m, call))  # results are copied, and saved inside
            m.grad.bump(t, f"{called(op.name)}(out=)", times=times)
            if node is not None:
                m.grad.rebase(t, node)
            if not call.all() and any(p.name == "requires_grad" for p in op.params):  # what makes a tensor of nothing
                m.require_grad(t, call.values.get("requires_grad", False))
    finally:
        m.here.via = previous
    return out


def asked_of_out(m: Interpreter, case: Case, call: Call, outs: Sequence[Tensor]) -> Grad:
    """Whether any argument of a call with `out=` requires grad.

    An argument that no gradient flows to, such as an index, counts only if it is known to require grad. So do all of
    them if the result goes to integers, since PyTorch casts no floating result to those.
    """
    whole = any(t.dtype is not None and is_integral(t.dtype) for t in outs)
    needs: Grad = False
    for p, g in gradients(m, call).items():
        if case.flows and (g is True or (p in case.flows and not whole)):
            needs = either(needs, g)
    for t in outs:
        needs = either(needs, m.grad.requires_grad(t))
    return needs


def refuse_out(m: Interpreter, op: Op, outs: Sequence[Tensor], needs: Grad) -> bool:
    """`throw_error_out_requires_grad`, depending on what the operator refuses; whether the call is refused for sure."""
    if op.out_graph == "joins, no leaf" and m.grad.grad_mode:
        leaves = [t for t in outs if is_of_leaf(m, t)]
        needs = m.grad.requires_grad(leaves[0]) if leaves else False
    if op.out_graph in ("joins", "unseen"):
        return False
    guesses: Guards = ()
    if op.out_graph == "depends":
        text = f"{called(op.name)} hands this call on to an operator that refuses out="
        guesses = ((Cond((text, outs[0].uid), "guess", text, m.here.site), True),)
    return refuse(m, outs[0], op.name, needs, guesses)


def refuse(m: Interpreter, t: Tensor, name: str, needs: Grad, guesses: Guards = ()) -> bool:
    """`throw_error_out_requires_grad` where something requires grad; whether the call is refused for sure."""
    if needs is False:
        return False
    guards = (*conditions(needs), *guesses)
    return m.grad.fail("out-grad", "direct", t, guards=guards, detail=called(name), ways=ways(needs))


def is_refused(m: Interpreter, t: Tensor, call: Call) -> bool:
    """Whether a call that hands `t` on as `out=` is refused for sure, since one of its tensors requires grad."""
    needs: Grad = False
    for given in call.all() if m.grad.grad_mode else ():
        needs = either(needs, m.grad.requires_grad(given))
    return refuse(m, t, call.name, needs)


def is_of_leaf(m: Interpreter, t: Tensor) -> bool:
    """Whether a tensor is a leaf, or a view of one."""
    base = m.state.resolve(t.base)
    return m.grad.is_leaf(base if isinstance(base, Tensor) else t) is True


def out_shapes(m: Interpreter, op: Op, call: Call, count: int) -> Sequence[Shape | None]:
    """The shapes of the results of a call, as far as they are known."""
    inferred = shapes.infer(op.name, described_all(m, call.values))
    types = inferred if isinstance(inferred, Sequence) else [inferred]
    known = [t.shape if isinstance(t, TensorType) else None for t in types]
    return known if len(known) == count else [None] * count


def resize_out(m: Interpreter, call: Call, t: Tensor, shape: Shape | None) -> None:
    """`resize_output`: a tensor passed as `out=` takes the shape of the result."""
    g = t.geometry
    if shape is None or g is None or None in shape or None in g.shape or shape == g.shape:
        return
    m.state.put(t, Tensor.geometry_, layouts.of_result(m, Geometry.contiguous(shape, g.offset), call))


def out_times(op: Op, t: Tensor, shape: Shape | None) -> Times:
    """How many times a tensor passed as `out=` is written, for a result of that shape."""
    if shape is None or t.shape is None or None in shape or None in t.shape:
        return min(op.out_bumps[0], op.out_resized[0]), max(op.out_bumps[1], op.out_resized[1])
    return op.out_bumps if shape == t.shape else op.out_resized
