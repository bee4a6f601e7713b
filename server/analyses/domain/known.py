"""What is known of a value: whether all of it is, and what identifies it in a condition.

is_constant((1, "a"))               # True: Python itself can compute with it
is_constant((1, Unknown()))         # False
key_of(n), key_of(n)                # equal keys: `n < 3`, asked twice of one unknown `n`, is one question
"""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any

from ...syntax import ir
from . import budget
from .values import CONSTANTS, Bound, Lib, Phi, SliceV, Unknown, Value, serial

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from .report import Site


def is_constant(value: Value) -> bool:
    """Whether a value is completely known: a Python constant or a tuple of such."""
    if not isinstance(value, tuple):
        return isinstance(value, CONSTANTS)
    todo, seen = [value], 0
    while todo:
        row = todo.pop()
        seen += len(row)
        if seen > budget.LIMITS.parts:
            return False
        for one in row:
            if isinstance(one, tuple):
                todo.append(one)
            elif not isinstance(one, CONSTANTS):
                return False
    return True


def is_large(value: tuple[Any, ...]) -> bool:
    """Whether a tuple has more parts, shared ones counted anew, than are looked at."""
    todo, seen = [value], 0
    while todo and seen <= budget.LIMITS.parts:
        row = todo.pop()
        seen += len(row)
        todo += [one for one in row if isinstance(one, tuple)]
    return seen > budget.LIMITS.parts


def is_number(value: Value) -> bool:
    """Whether a value is a plain number, known or unknown."""
    return isinstance(value, (int, float)) or (isinstance(value, Unknown) and value.number)


def key_of(value: Value) -> Hashable:
    """What identifies a value in a condition: equal keys are equal values."""
    if isinstance(value, Unknown):
        return value.key
    if isinstance(value, tuple):
        return ("object", object()) if is_large(value) else ("tuple", *map(key_of, value))
    if isinstance(value, CONSTANTS):
        return ("const", type(value).__name__, value)
    if isinstance(value, Lib):
        return ("library", value.name)
    if isinstance(value, SliceV):
        return ("slice", *map(key_of, (value.lower, value.upper, value.step)))
    if isinstance(value, Phi):
        return ("object", value.name)
    if isinstance(value, Bound):
        return ("bound", key_of(value.function), key_of(value.self))
    return ("object", getattr(value, "uid", None) or id(value))


DECIDED: dict[Hashable, Callable[[Any, Any], object]] = {
    "==": operator.eq,
    "is": lambda a, b: type(a) is type(b) and a == b,
    "<": operator.lt,
    ">": operator.gt,
}
"""The comparisons with a constant that are decided by what something equals; others are asked by their opposite."""

EQUALITIES = ("==", "is")
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "is", "in", "not", "~", "mask"})
BITS, ARITHMETIC = frozenset({"&", "|", "^", "<<", ">>"}), frozenset({"+", "-", "*", "/", "//", "%", "**", "@"})


TEXT = "text"
"""what the key of a text begins with that is known in part, followed by these parts and what is between them"""


def may_be(v: Value, known: Value) -> bool:
    """Whether something may equal a known value: a text that is known in part equals no other one.

    may_be(Unknown("text", (TEXT, ("layer", ""), "i")), "conv1")  # False
    """
    if not isinstance(v, Unknown) or type(v.key) is not tuple or v.key[0] != TEXT:
        return True
    return isinstance(known, str) and re.fullmatch(".*".join(map(re.escape, v.key[1])), known, re.DOTALL) is not None


def is_mask(key: Hashable) -> bool:
    """Whether this is the key of a comparison, or of what is made of such alone: whatever that is, it has no gradient.

    is_mask(key_of((a < b).sum() + 1))  # True, for any unknown `a` and `b`
    """
    if type(key) is not tuple or not key:
        return False
    op, rest = key[0], key[1:]
    if op in ("attr", "[]"):
        return is_mask(rest[0])
    if op == "call":  # of an attribute, with arguments, at some moment
        return is_mask(rest[0]) and all(map(_is_plain, rest[1:-1]))
    if op in ARITHMETIC:
        return any(map(is_mask, rest)) and all(map(_is_plain, rest))
    return op in COMPARISONS or (op in BITS and any(map(is_mask, rest)))


def _is_plain(key: Hashable) -> bool:
    return is_mask(key) or is_constant_key(key)


def shortened(key: tuple[Any, ...]) -> Hashable:
    """The key, or a new one if it nests too deep: else loops would grow keys without end."""
    if not nests(key, 8):
        return key
    return ("mask", serial()) if is_mask(key) else serial()


def nests(key: tuple[Any, ...], levels: int) -> bool:
    """Whether a key nests deeper than that."""
    if levels == 1:
        return True
    for part in key:  # noqa: SIM110 - this is asked often, and a generator takes its time
        if type(part) is tuple and nests(part, levels - 1):
            return True
    return False


def equated(key: Hashable) -> tuple[Hashable, Any] | None:
    """What a question asks whether it equals a constant, and that constant; None for any other question."""
    if type(key) is not tuple or len(key) != 3 or key[0] not in EQUALITIES:
        return None
    a, b = key[1:]
    if is_constant_key(a):
        a, b = b, a
    return (a, b[2]) if is_constant_key(b) else None


def is_constant_key(key: Hashable) -> bool:
    """Whether a key identifies a constant, which is its third part."""
    return type(key) is tuple and key[:1] == ("const",)


def attribute(key: Hashable) -> str | None:
    """The name of the attribute of something else that a key identifies; None for any other key."""
    return str(key[-1]) if type(key) is tuple and key[:1] == ("attr",) else None


def decided(key: Hashable, thing: Hashable, constant: Any) -> bool | None:
    """The answer to a question where a thing equals a constant; None if it asks about something else.

    Where `n` equals 1, `n > 3` does not hold, nor does `n is None`, and `n` is true.
    """
    if key == thing:
        return bool(constant)
    if type(key) is not tuple or len(key) != 3 or key[0] not in DECIDED or thing not in key[1:]:
        return None
    operands = [constant if part == thing else part[2] for part in key[1:] if part == thing or is_constant_key(part)]
    if len(operands) < 2:
        return None
    try:
        return bool(DECIDED[key[0]](*operands))
    except TypeError:
        return None


def at_default(site: Site | None, text: str) -> bool | None:
    """The answer to a question about an option where that is left at its default; None for any other question.

    at_default(site, "bias")        # True, where `site` is the parameter `bias=True`
    at_default(site, "act == 'relu'")   # True for `act="relu"`, False for another text
    """
    option = site.node if site is not None else None
    if not isinstance(option, ir.Param) or not isinstance(option.default, ir.Constant):
        return None
    usual = option.default.value
    return usual if isinstance(usual, bool) else text == f"{option.name} == {usual!r}"
