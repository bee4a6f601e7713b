"""Operators and subscripts, for all kinds of values."""

from __future__ import annotations

import operator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..autograd.tensors import Tensor
from ..domain.known import is_constant, is_number, key_of, shortened
from ..domain.paths import Raised
from ..domain.values import (
    ABSENT,
    Args,
    ClassV,
    DictV,
    FunctionV,
    Instance,
    Iterator_,
    Lib,
    ListV,
    Phi,
    SliceV,
    Unknown,
    Value,
    contents,
)
from ..operators import arrays, calls_by_name, joins, subscripts
from ..operators.arrays import NDArray
from . import attributes, constants, containers, opaque, spellings
from .bounds import is_folded
from .comparisons import unordered

if TYPE_CHECKING:
    from collections.abc import Callable

    from .machine import Machine

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}

UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}

METHODS: dict[str, str] = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}

# -- operators ------------------------------------------------------------------------------------


def unary(m: Machine, op: str, v: Value) -> Value:
    """`-v`, `+v`, `~v`."""
    v = m.state.resolve(v)
    if isinstance(v, Phi):
        return joins.each(m, v, lambda one: unary(m, op, one))
    if isinstance(v, Tensor):
        return calls_by_name.call(m, {"-": "torch.neg", "+": "torch.positive", "~": "torch.bitwise_not"}[op], Args([v]))
    if is_constant(v) or isinstance(v, (ListV, DictV)):
        if not isinstance(v, (int, float, complex)) or (op == "~" and not isinstance(v, int)):
            raise Raised(None, "TypeError")
        return UNARY[op](v)
    if isinstance(v, Instance):
        f = v.cls.lookup({"-": "__neg__", "+": "__pos__", "~": "__invert__"}[op])
        if f is not ABSENT:
            return m.call(attributes.bound(m, f, v), Args())
    return opaque.joined(m, arithmetic(op, v), v)


def derived(op: str, *operands: Value) -> Unknown:
    """An unknown value that is the same whenever the operator and the operands are the same."""
    why = next((v.why for v in operands if isinstance(v, Unknown) and v.why), "")
    key = (op, *map(key_of, operands))
    number = all(is_number(v) or isinstance(v, SliceV) for v in operands)
    return Unknown(why, shortened(key), number=number)


def arithmetic(op: str, *operands: Value) -> Unknown:
    """The unknown result of an operator: data if all operands are data, and passed in if one of them is."""
    found = derived(op, *operands)
    tensors = [v for v in operands if isinstance(v, Unknown) and not v.number]
    came_in = next((v for v in tensors if v.parameter), None)
    if came_in is not None:
        found.parameter, found.why = True, came_in.why
    found.data = bool(tensors) and all(v.data for v in tensors)
    return found


def fold(op: Callable[[Any, Any], Any], a: Value, b: Value) -> Value:
    """Compute with two constants, within bounds; ABSENT if the result is too large. Raises what Python does."""
    if not is_folded(op, a, b):
        return ABSENT
    with suppress(constants.NotPlain):
        return constants.called(op, (a, b), {})
    return ABSENT


def binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b`."""
    a, b = m.state.resolve(a), m.state.resolve(b)
    if isinstance(a, Tensor):
        b = calls_by_name.settled(b)
    elif isinstance(b, Tensor):
        a = calls_by_name.settled(a)
    if isinstance(a, Phi):
        return joins.each(m, a, lambda one: binary(m, op, one, b))
    if isinstance(b, Phi):
        return joins.each(m, b, lambda one: binary(m, op, a, one))
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        if not isinstance(a, Instance) and not isinstance(b, Instance):
            return calls_by_name.operator(m, op, a, b)
    elif (is_constant(a) and is_constant(b)) or (isinstance(a, tuple) and isinstance(b, (tuple, int))):
        known = fold(BINARY[op], a, b)
        return Unknown() if known is ABSENT else known
    own = user_binary(m, op, a, b)
    if own is not ABSENT:
        return own
    a, b = unordered(m, contents(a)), unordered(m, contents(b))
    if isinstance(a, (ListV, DictV)) or isinstance(b, (ListV, DictV)):
        return containers.binary(m, op, a, b)
    if isinstance(a, NDArray) or isinstance(b, NDArray):
        return arrays.fresh(m)
    text = spellings.added(op, a, b)
    return text if text is not None else opaque.joined(m, arithmetic(op, a, b), a, b)


def user_binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """The program's own operator method, on the left or reflected on the right; ABSENT if there is none."""
    for obj, other, prefix in ((a, b, "__"), (b, a, "__r")):
        if isinstance(obj, Instance):
            f = obj.cls.lookup(f"{prefix}{METHODS[op]}__")
            if f is not ABSENT:
                return m.call(attributes.bound(m, f, obj), Args([other]))
    return ABSENT


# -- subscripts -------------------------------------------------------------------------------------


def get_item(m: Machine, v: Value, index: Value) -> Value:
    """`v[index]`."""
    v, index = m.state.resolve(v), m.state.resolve(index)
    if isinstance(v, Phi):
        return m.state.each(v, lambda one: get_item(m, one, index))
    if isinstance(v, (ListV, tuple, str, bytes, range)) and (own := attributes.special(m, index, "__index__")):
        index = m.call(own, Args())
    if isinstance(v, Tensor):
        return subscripts.get_item(m, v, index)
    if isinstance(index, Phi):
        return m.state.each(index, lambda one: get_item(m, v, one))
    if isinstance(v, (ListV, DictV, tuple, str, bytes, range, Iterator_)):
        return containers.get_item(m, v, index)
    if isinstance(v, Instance):
        f = v.cls.lookup("__getitem__")
        if f is not ABSENT:
            return m.call(attributes.bound(m, f, v), Args([index]))
        return containers.instance_item(m, v, m.state.resolve(index))
    if isinstance(v, NDArray):
        return arrays.view(v) if arrays.basic(index) else arrays.fresh(m)
    if isinstance(v, (ClassV, Lib, FunctionV)):
        return containers.class_item(m, v, index)
    if isinstance(v, Unknown) and v.data:
        return m.part(Unknown(v.why, ("[]", v.key, key_of(index)), data=True))
    item = derived("[]", v, index)
    item.within = isinstance(v, Unknown) and v.came_in
    return m.part(opaque.joined(m, item, v))


def set_item(m: Machine, v: Value, index: Value, value: Value) -> None:
    """`v[index] = value`."""
    v = m.state.resolve(v)
    v = m.to_write(v) if type(v) is Unknown else v
    if isinstance(v, Phi):
        m.state.each(v, lambda one: set_item(m, one, index, value))
    elif isinstance(v, Tensor):
        subscripts.set_item(m, v, m.state.resolve(index), m.state.resolve(value))
    elif isinstance(v, NDArray):
        arrays.write(m, v, "[…] =")
    elif isinstance(v, Instance):
        f = v.cls.lookup("__setitem__")
        if f is not ABSENT:
            m.call(attributes.bound(m, f, v), Args([index, value]))
        else:
            containers.set_instance_item(m, v, index, value)
    elif isinstance(v, (ListV, DictV)):
        containers.set_item(m, v, m.state.resolve(index), value)
    elif isinstance(v, tuple):
        raise Raised(None, "TypeError")
    elif isinstance(v, Unknown):
        index = m.state.resolve(index)
        if not is_constant(index):
            m.forget_items(v)
        m.set_part(derived("[]", v, index), m.state.resolve(value))


def delete_item(m: Machine, v: Value, index: Value) -> None:
    """`del v[index]`."""
    v, index = m.state.resolve(v), m.state.resolve(index)
    if isinstance(v, (ListV, DictV)):
        containers.delete_item(m, v, index)
    elif isinstance(v, Instance):
        f = v.cls.lookup("__delitem__")
        if f is not ABSENT:
            m.call(attributes.bound(m, f, v), Args([index]))
        elif contents(v) is not v:
            containers.delete_item(m, contents(v), index)
    elif isinstance(v, Unknown):
        m.forget_items(v)
