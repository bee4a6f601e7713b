"""Binding targets: names, attributes, items, and tuples of them; and the labels that tensors get by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...syntax import ir
from ..autograd.tensors import Tensor
from ..domain.values import (
    Frame,
    Generator,
    Instance,
    ListV,
    Phi,
    Unknown,
    Value,
)
from ..operators import layouts
from ..operators.conversions import guess
from . import attributes, sequences
from .operators import set_item

if TYPE_CHECKING:
    from .machine import Machine


def bind(m: Machine, target: ir.Expr, value: Value) -> None:
    """Assign `value` to a target: a name, attribute or subscript, or unpack it into several of them."""
    if isinstance(target, ir.Name):
        store(m, target.id, value)
        label(m, value, target)
    elif isinstance(target, (ir.Tuple, ir.List)):
        unpack(m, target.elts, value)
    elif isinstance(target, ir.Attribute):
        obj = m.eval(target.value)
        m.here.node = target
        attributes.set_(m, obj, target.attr, value)
        label(m, value, target)
    elif isinstance(target, ir.Subscript):
        obj, index = m.eval(target.value), m.eval(target.slice)
        with m.here.writing(target, target.value, "[…] ="):
            set_item(m, obj, index, value)
        label(m, value, target)
    elif isinstance(target, ir.Starred):
        bind(m, target.value, value)


def label(m: Machine, value: Value, target: ir.Expr) -> None:
    """Remember the name that the program gave a tensor or an object, and where a tensor was bound last."""
    if m.here.in_model:
        return
    if isinstance(value, Unknown) and (value.history is not None or value.is_item or value.moved):
        m.state.note(value, "bound", m.at(target, lambda: m.here.site))
    if not isinstance(value, (Tensor, Instance)):
        return
    assert m.here.chunk is not None
    if value.label is None:
        text = m.here.chunk.text[target.start : target.end]
        m.state.note(value, "label", text if len(text) <= 40 and "\n" not in text and text != "_" else None)
        if value.within is None and isinstance(target, ir.Attribute) and text == f"self.{target.attr}":
            holder = m.state.pick(m.frame.variables.get("self"))
            if isinstance(holder, Instance):
                m.state.note(value, "within", (holder, f".{target.attr}"))
    if isinstance(value, Tensor):
        m.state.note(value, "bound", m.at(target, lambda: m.here.site))


def store(m: Machine, name: str, value: Value) -> None:
    """Bind a name in the scope that it belongs to."""
    frame = m.frame
    f = frame.function
    if f is not None and isinstance(f.node, ir.FunctionDef):
        if name in f.node.scope.globals:
            frame = frame.globals
        elif name in f.node.scope.nonlocals:
            outer: Frame | None = frame.parent
            while outer is not None and name not in outer.variables:
                outer = outer.parent
            frame = outer or frame
    if type(value) is Generator:
        value.kept = True
    m.state.set(frame.variables, name, value)


def _supposed(m: Machine, v: Value, n: int) -> Value:
    """The tuple that is unpacked into `n` names; that a tensor has as many rows is a guess."""
    if not isinstance(v, Tensor) or (v.shape is not None and v.shape[:1] != (None,)):
        return v
    return Phi(guess(f"the tensor has {n} rows", v, m), v, Unknown("no tuple"))


READ = (ir.Name, ir.Attribute, ir.Constant)
"""expressions that may be evaluated twice"""


def tells_rank(m: Machine, s: ir.Assign) -> bool:
    """Whether the names for a shape tell how many dimensions a tensor has: `b, n, _ = x.shape`, `*x.shape, heads`."""
    target, value = s.targets[0], s.value
    if not isinstance(target, ir.Tuple) or any(isinstance(one, ir.Starred) for one in target.elts):
        return False
    rank = len(target.elts)
    if isinstance(value, ir.Tuple):
        stars = [one.value for one in value.elts if isinstance(one, ir.Starred)]
        if len(stars) != 1 or not all(isinstance(one, (ir.Starred, *READ)) for one in value.elts):
            return False
        rank, value = rank - len(value.elts) + 1, stars[0]
    if isinstance(value, ir.Call) and not value.args and isinstance(value.func, ir.Attribute):
        value = value.func
    if not (isinstance(value, ir.Attribute) and value.attr in ("shape", "size") and isinstance(value.value, ir.Name)):
        return False
    t = m.state.resolve(m.eval(value.value))
    if not isinstance(t, Tensor) or t.geometry is not None or rank < 0:
        return False
    layouts.tell_rank(m, t, rank)
    return True


def unpack(m: Machine, targets: list[ir.Expr], value: Value) -> None:
    """`a, *b, c = value`."""
    value = m.state.resolve(value)
    if isinstance(value, Phi):
        n = len(targets)
        meant = any(isinstance(one, tuple) and len(one) == n for _, one in m.state.alternatives(value))
        m.state.each(value, lambda one: unpack(m, targets, _supposed(m, one, n) if meant else one))
        return
    star = next((i for i, t in enumerate(targets) if isinstance(t, ir.Starred)), None)
    seq = sequences.sequence(m, value, want=len(targets))
    if star is None:
        for i, t in enumerate(targets):
            bind(m, t, seq.item(i))
        return
    after = len(targets) - star - 1
    known = seq.known()
    for i in range(star):
        bind(m, targets[i], seq.item(i))
    middle = ListV(tuple(known[star : max(star, len(known) - after)]))
    middle.open = seq.open
    bind(m, targets[star], middle)
    for i in range(after):
        at = len(known) - after + i
        bind(m, targets[star + 1 + i], known[at] if at >= star and not seq.open else Unknown())
