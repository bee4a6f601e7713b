"""Comparisons of values of all kinds: `==`, `<`, `is`, `in` and their opposites.

a == b          # by the program's own `__eq__`; by parts for containers and dataclasses; by PyTorch for tensors
n != 3          # `n` unknown: the question `n == 3`, negated, so that both are one question
"""

from __future__ import annotations

import operator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..autograd.tensors import Tensor
from ..domain import registry
from ..domain.known import is_constant, key_of, may_be, shortened
from ..domain.paths import Raised
from ..domain.values import (
    ABSENT,
    Args,
    DictV,
    FunctionV,
    Instance,
    Lib,
    ListV,
    Phi,
    Unknown,
    Value,
)
from ..operators import arrays, calls_by_name, joins
from ..operators.arrays import NDArray
from ..operators.cases import items_of
from . import attributes, constants, library, opaque, sequences
from .conditions import both, either, negation, truth

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .machine import Machine

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

COMPARE_METHODS: dict[str, str] = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}

INVERSE = {"!=": "==", "is not": "is", "not in": "in", ">=": "<", "<=": ">"}
"""The operators that are asked by their opposite, so that a test and its negation are one question."""

SET_ORDER = {"<=": "issubset", ">=": "issuperset", "<": "<=", ">": ">="}

MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The comparison that the right operand is asked, if the left one has no answer."""

INVERSE_ORDER = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def compare(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` for a comparison."""
    a, b = m.state.resolve(a), m.state.resolve(b)
    if isinstance(a, Phi):
        return joins.each(m, a, lambda one: compare(m, op, one, b))
    if isinstance(b, Phi):
        return joins.each(m, b, lambda one: compare(m, op, a, one))
    if op in ("is", "is not"):
        return _is(m, op, a, b)
    if op in ("in", "not in"):
        found = sequences.contains(m, b, a)
        return negation(m, found) if op == "not in" else found
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        if a is None or b is None:
            return op == "!="
        return calls_by_name.call(m, f"torch.{COMPARE_METHODS[op]}", Args([a, b]))
    if is_constant(a) and is_constant(b):
        try:
            return bool(COMPARE[op](a, b))
        except TypeError:
            raise Raised(None, "TypeError") from None
    return _compare_objects(m, op, a, b)


def _compare_objects(m: Machine, op: str, a: Value, b: Value) -> Value:
    own = _own_comparison(m, op, a, b)
    if own is not ABSENT:
        return own
    if isinstance(a, NDArray) or isinstance(b, NDArray):
        return arrays.fresh(m)
    a, b = unordered(m, a), unordered(m, b)
    if op in SET_ORDER and isinstance(a, DictV) and isinstance(b, DictV) and a.kind == b.kind == "set":
        return (
            library.call_method(m, f"set.{SET_ORDER[op]}", a, Args([b])) if op in ("<=", ">=") else _strict(m, op, a, b)
        )
    with suppress(constants.NotPlain):
        if op in ("<", "<=", ">", ">="):
            return constants.compute(m, COMPARE[op], [a, b])
    if op == "!=":
        return negation(m, truth(m, _compare_objects(m, "==", a, b)))
    if isinstance(a, Unknown) and isinstance(b, Unknown) and a.number and a.key == b.key:
        return op in ("==", "<=", ">=")  # of one number, which we take for no NaN
    if op == "==" and not all(may_be(v, known) for v, known in ((a, b), (b, a)) if is_constant(known)):
        return False
    if isinstance(a, Unknown) or isinstance(b, Unknown) or op != "==":
        return derived_test(op, a, b)
    parts = _parts(m, a, b)
    if parts is not None:
        return _all_equal(m, parts) if parts else derived_test(op, a, b)
    if is_named(m, a, b) or is_named(m, b, a):
        return derived_test(op, a, b)
    return a is b or (isinstance(a, Lib) and isinstance(b, Lib) and a.name == b.name)


def is_named(m: Machine, a: Value, b: Value) -> bool:
    """Whether `a` is a library's constant, which may equal the number or text `b`."""
    return isinstance(a, Lib) and isinstance(b, (str, bytes, int, float, tuple)) and not registry.is_known(m, a.name)


def _strict(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a < b` for sets: a subset that isn't equal."""
    return both(m, truth(m, compare(m, SET_ORDER[op], a, b)), negation(m, truth(m, compare(m, "==", a, b))))


def _own_comparison(m: Machine, op: str, a: Value, b: Value) -> Value:
    """The answer of the program's own method, that of the right operand if the left has none; ABSENT if neither has."""
    from .classes import compared_fields, is_ordered

    for obj, other, method in ((a, b, op), (b, a, MIRRORED[op])):
        if isinstance(obj, Instance):
            f = obj.cls.lookup(f"__{COMPARE_METHODS[method]}__")
            if isinstance(f, FunctionV):
                return m.call(attributes.bound(m, f, obj), Args([other]))
            made = _total(m, obj, other, method)
            if made is not ABSENT:
                return made
    if op in INVERSE_ORDER and isinstance(a, Instance) and isinstance(b, Instance) and a.cls is b.cls:
        fields = compared_fields(a.cls) if is_ordered(a.cls) else ()
        if fields:
            return compare(m, op, *(tuple(v.attributes.get(k) for k in fields) for v in (a, b)))
    return ABSENT


def _total(m: Machine, obj: Instance, other: Value, op: str) -> Value:
    """A comparison that `functools.total_ordering` derives from the one that the class defines; ABSENT for others."""
    if op not in ("<", "<=", ">", ">=") or obj.cls.lookup("__total_ordering__") is not True:
        return ABSENT
    base = next(
        (o for o in ("<", "<=", ">", ">=") if isinstance(obj.cls.lookup(f"__{COMPARE_METHODS[o]}__"), FunctionV)), None
    )
    if base is None:
        return ABSENT
    said = truth(m, compare(m, base, obj, other))
    if INVERSE_ORDER[base] == op:
        return negation(m, said)
    equal = truth(m, compare(m, "==", obj, other))
    if base in ("<", ">"):  # with or without equality, of the same side or of the other
        return either(m, said, equal) if op[0] == base else both(m, negation(m, said), negation(m, equal))
    return both(m, said, negation(m, equal)) if op[0] == base[0] else either(m, negation(m, said), equal)


def _parts(m: Machine, a: Value, b: Value) -> Sequence[tuple[Value, Value]] | None:
    """The pairs of parts that decide whether two containers or dataclasses are equal; empty if they are unknown.

    None for other values, and a pair of different constants for containers that cannot be equal.
    """
    from .classes import compared_fields, has_equality

    different = [(True, False)]
    if isinstance(a, DictV) and isinstance(b, DictV):
        if m.state.is_open(a) or m.state.is_open(b):
            return ()
        mine = sequences.keys(a)
        if (a.kind == "set") is not (b.kind == "set") or set(mine) != set(sequences.keys(b)):
            return different
        return [(True, True), *((a.items[k], b.items[k]) for k in mine if a.kind != "set")]
    if isinstance(a, (ListV, tuple)) and isinstance(b, (ListV, tuple)):
        if (a.kind if isinstance(a, ListV) else "tuple") != (b.kind if isinstance(b, ListV) else "tuple"):
            return different
        if any(isinstance(v, ListV) and m.state.is_open(v) for v in (a, b)):
            return ()
        x, y = (v if isinstance(v, tuple) else items_of(m, v) for v in (a, b))
        return [(True, True), *zip(x, y, strict=True)] if len(x) == len(y) else different
    if isinstance(a, Instance) and isinstance(b, Instance) and a.cls is b.cls and has_equality(a.cls):
        return [(True, True), *((a.attributes.get(k), b.attributes.get(k)) for k in compared_fields(a.cls))]
    return None


def _all_equal(m: Machine, parts: Sequence[tuple[Value, Value]]) -> Value:
    """Whether all pairs are equal; two containers that come up again, even in themselves, are compared once."""
    result: Value = True
    todo = list(reversed(parts))
    seen: dict[tuple[int, int], tuple[Value, Value]] = {}
    while todo:
        x, y = map(m.state.resolve, todo.pop())
        if x is y or (id(x), id(y)) in seen:
            continue
        inner = _parts(m, x, y) if _is_plain(x) and _is_plain(y) and not (is_constant(x) and is_constant(y)) else None
        if inner:
            seen[id(x), id(y)] = x, y
            todo += reversed(inner)
        else:
            result = both(m, result, truth(m, compare(m, "==", x, y)))
    return result


def _is_plain(v: Value) -> bool:
    """Whether a value is a container that is compared by its items."""
    return type(v) is tuple or isinstance(v, DictV) or (isinstance(v, ListV) and not v.of_dict)


def derived_test(op: str, a: Value, b: Value) -> Unknown:
    """An unknown comparison, asked by the positive operator, so that its negation is the same question."""
    why = next((v.why for v in (a, b) if isinstance(v, Unknown) and v.why), "")
    positive = INVERSE.get(op, op)
    key = shortened((positive, key_of(a), key_of(b)))
    return Unknown(why, ("not", key) if op in INVERSE else key)


def _is(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a is b` and `a is not b`."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        if isinstance(a, Unknown) and isinstance(b, Unknown) and a.key == b.key:
            same: Value = True
        elif a.__class__ is Unknown and (a.given or m.is_used(a) or opaque.is_given(a)) and b is None:
            same = False
        else:
            return derived_test(op, a, b)
    elif isinstance(a, Lib) and isinstance(b, Lib):
        same = a.name == b.name
    elif is_constant(a) and is_constant(b):
        same = type(a) is type(b) and a == b
    else:
        same = a is b
    return same if op == "is" else not same


def unordered(m: Machine, v: Value) -> Value:
    """The keys or items of a dict as a set, which operators treat them as; unknown if they can't be compared."""
    if not isinstance(v, ListV) or not v.of_dict:
        return v
    items = items_of(m, v)
    if not all(map(is_constant, items)):
        return Unknown()
    made = DictV({one: one for one in items}, "set")
    made.open = m.state.is_open(v)
    return made
