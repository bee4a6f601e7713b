"""What is known of a value: whether all of it is, and what identifies it in a condition.

is_constant((1, "a"))               # True: Python itself can compute with it
is_constant((1, Unknown()))         # False
key_of(n), key_of(n)                # equal keys: `n < 3`, asked twice of one unknown `n`, is one question
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import budget
from .values import CONSTANTS, Lib, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Hashable


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
    return ("object", getattr(value, "uid", None) or id(value))


def nests(key: tuple[Any, ...], levels: int) -> bool:
    """Whether a key nests deeper than that; such keys are cut off, so that loops don't grow them without end."""
    if levels == 1:
        return True
    for part in key:  # noqa: SIM110 - this is asked often, and a generator takes its time
        if type(part) is tuple and nests(part, levels - 1):
            return True
    return False
