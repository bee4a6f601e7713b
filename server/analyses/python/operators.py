"""Truth, operators, subscripts and assignment targets, for all kinds of values."""

from __future__ import annotations

import operator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...syntax import ir
from ..autograd.tensors import Tensor
from ..domain import registry
from ..domain.known import is_constant, is_number, key_of, nests
from ..domain.paths import Raised
from ..domain.values import (
    ABSENT,
    Args,
    ClassV,
    Cond,
    DictV,
    Frame,
    FunctionV,
    Generator,
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
from ..operators.cases import items_of
from ..operators.conversions import guess
from . import attributes, constants, containers, counting, library, opaque, sequences
from .bounds import is_folded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


# -- truth --------------------------------------------------------------------------------------


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


def both(m: Machine, a: Value, b: Value) -> Value:
    """`a and b` for two truths without side effects."""
    if a is False or b is False:
        return False
    if a is True:
        return b
    if b is True:
        return a
    return Unknown("", ("and", key_of(a), key_of(b)))


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
    return Unknown(why, None if nests(key, 8) else key, number=number)


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
    return opaque.joined(m, arithmetic(op, a, b), a, b)


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


def user_binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """The program's own operator method, on the left or reflected on the right; ABSENT if there is none."""
    for obj, other, prefix in ((a, b, "__"), (b, a, "__r")):
        if isinstance(obj, Instance):
            f = obj.cls.lookup(f"{prefix}{METHODS[op]}__")
            if f is not ABSENT:
                return m.call(attributes.bound(m, f, obj), Args([other]))
    return ABSENT


def compare(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` for a comparison."""
    a, b = m.state.resolve(a), m.state.resolve(b)
    if isinstance(a, Phi):
        return joins.each(m, a, lambda one: compare(m, op, one, b))
    if isinstance(b, Phi):
        return joins.each(m, b, lambda one: compare(m, op, a, one))
    if op in ("is", "is not"):
        return _is(op, a, b)
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


SET_ORDER = {"<=": "issubset", ">=": "issuperset", "<": "<=", ">": ">="}


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


MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The comparison that the right operand is asked, if the left one has no answer."""


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


INVERSE_ORDER = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def either(m: Machine, a: Value, b: Value) -> Value:
    """`a or b` for two truths without side effects."""
    return negation(m, both(m, negation(m, a), negation(m, b)))


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
    key: Any = (positive, key_of(a), key_of(b))
    if nests(key, 8):
        return Unknown(why)
    return Unknown(why, ("not", key) if op in INVERSE else key)


def _is(op: str, a: Value, b: Value) -> Value:
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        if isinstance(a, Unknown) and isinstance(b, Unknown) and a.key == b.key:
            same: Value = True
        elif a.__class__ is Unknown and (a.tensor is not None or opaque.is_given(a)) and b is None:
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
        return Unknown(v.why, ("[]", v.key, key_of(index)), data=True)
    return opaque.joined(m, derived("[]", v, index), v)


def set_item(m: Machine, v: Value, index: Value, value: Value) -> None:
    """`v[index] = value`."""
    v = m.state.resolve(v)
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


# -- assignment ---------------------------------------------------------------------------------------


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
    if isinstance(value, Unknown) and value.history is not None:
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
