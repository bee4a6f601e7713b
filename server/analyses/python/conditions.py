"""The truth of values, and what the program does if it is unknown.

    if done:        # `branch`: by `truth(done)`, which is True, False, or an Unknown;
        stop()      # then both sides are replayed under the `question` "done", and joined

`negation`, `both` and `either` combine truths without new questions: `not done` asks the same as `done`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.tensors import Tensor
from ..domain import registry
from ..domain.known import is_constant, key_of
from ..domain.values import (
    Args,
    Cond,
    DictV,
    FunctionV,
    Instance,
    Iterator_,
    ListV,
    Phi,
    Unknown,
    Value,
)
from ..operators import joins
from ..operators.arrays import NDArray
from . import attributes, counting, sequences

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...syntax import ir
    from .machine import Machine


def truth(m: Machine, v: Value) -> Value:
    """`bool(v)`: True, False or an Unknown."""
    v = m.state.resolve(v)
    if isinstance(v, Phi):
        return joins.each(m, v, lambda one: truth(m, one))
    if is_constant(v) or isinstance(v, (tuple, range)):
        return bool(v)
    if isinstance(v, (ListV, DictV, Iterator_)):
        size = sequences.length(m, v)
        return size > 0 if isinstance(size, int) else Unknown("whether it is empty", ("truth", key_of(size)))
    if isinstance(v, Unknown):
        return v
    if isinstance(v, Tensor) and m.numbers is not None and (known := m.numbers.truth(v)) is not None:
        return known
    if isinstance(v, (Tensor, NDArray)):
        return Unknown("the tensor's content")
    if isinstance(v, Instance):
        for method in ("__bool__", "__len__"):
            f = v.cls.lookup(method)
            if isinstance(f, FunctionV):
                return truth(m, m.call(attributes.get(m, v, method), Args()))
        size = registry.length(m, v)
        return size > 0 if isinstance(size, int) else True
    return True


def branch(m: Machine, v: Value, node: ir.Node | None, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
    """Go on with `then` or `orelse` by the truth of `v`; with both, joined, if that is unknown."""
    t = truth(m, v)
    if isinstance(t, bool):
        return then() if t else orelse()
    if isinstance(t, Phi):
        return m.state.each(t, lambda one: branch(m, one, node, then, orelse))
    t = counting.settled(m, t)
    if isinstance(t, bool):
        return then() if t else orelse()
    cond, holds = question(m, t, node)
    return m.state.fork(cond, then, orelse) if holds else m.state.fork(cond, orelse, then)


def question(m: Machine, v: Unknown, node: ir.Node | None) -> tuple[Cond, bool]:
    """The condition behind an unknown truth, and the answer that makes it true."""
    key, holds = v.key, True
    if isinstance(key, tuple) and key[0] == "not":
        key, holds = key[1], False
    assert m.here.chunk is not None
    asked = node is not None and not m.here.in_model  # by the program
    text = m.here.chunk.text[node.start : node.end] if asked and node is not None else v.why
    kind = "turn" if counting.varies(m, key) else "branch" if asked else "guess"
    m.rare += kind == "turn"
    site = m.at(node, lambda: m.here.site) if node is not None else None
    return Cond(key, kind, text, site, flipped=node is not None and not holds), holds


def negation(m: Machine, v: Value) -> Value:
    """`not v` for a truth."""
    v = m.state.resolve(v)
    if isinstance(v, bool):
        return not v
    if isinstance(v, Phi):
        return joins.each(m, v, lambda one: negation(m, one))
    if isinstance(v.key, tuple) and v.key[0] == "not":
        return Unknown(v.why, v.key[1])
    return Unknown(v.why, ("not", v.key))


def both(m: Machine, a: Value, b: Value) -> Value:
    """`a and b` for two truths without side effects."""
    if a is False or b is False:
        return False
    if a is True:
        return b
    if b is True:
        return a
    return Unknown("", ("and", key_of(a), key_of(b)))


def either(m: Machine, a: Value, b: Value) -> Value:
    """`a or b` for two truths without side effects."""
    return negation(m, both(m, negation(m, a), negation(m, b)))
