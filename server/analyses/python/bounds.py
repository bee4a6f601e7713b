"""How large a result may get, asked before it is computed: of the sizes of what goes in, and of widths and counts."""

from __future__ import annotations

import operator
import re
from collections import deque
from typing import TYPE_CHECKING, Any

from ..domain import budget

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

WIDTHS = frozenset({"center", "dumps", "expandtabs", "ljust", "rjust", "to_bytes", "zfill"})
"""Functions whose result is as long as a number in their arguments says."""

_NUMBERS = re.compile(r"\d+")
_NESTED = re.compile(r"\{[^{}]*\{")
"""A field of a template whose width is another field."""


def size(known: Any) -> int:
    """Characters and items in a Python value, shared ones counted anew; past the bound it stops counting."""
    total, todo = 0, deque([known])
    while todo and total <= budget.LIMITS.value:
        one = todo.popleft()
        total += 1
        if isinstance(one, range):  # its length may be more than Python's own `len` can tell
            total += budget.LIMITS.value if one[budget.LIMITS.value :] else len(one)
        elif isinstance(one, (str, bytes)):
            total += len(one)
        elif isinstance(one, int):
            total += one.bit_length() // 32
        elif isinstance(one, (list, tuple, set, frozenset, deque)):
            total += max(len(one) - budget.LIMITS.value, 0)
            todo.extend(one)
        elif isinstance(one, dict):
            total += max(len(one) - budget.LIMITS.value, 0)
            todo.extend(one)
            todo.extend(one.values())
    return total


def is_bounded(f: Callable[..., Any], pos: Collection[Any], kw: Mapping[str, Any]) -> bool:
    """Whether a Python function has a result of acceptable size, in acceptable time."""
    own = getattr(f, "__self__", None)
    given = [*pos, *kw.values()]
    if own is not None and not hasattr(own, "__spec__"):  # a method, not a function of a module
        given.insert(0, own)
    name = getattr(f, "__name__", "")
    if f is pow and len(given) == 2:
        return is_power_bounded(*given)
    if f is round and len(given) == 2 and not is_power_bounded(10, given[1]):
        return False
    most = budget.LIMITS.made
    for one in given:
        here = size(one)
        if here > budget.LIMITS.value:
            return False
        most //= max(here, 1)
    if name in WIDTHS:
        most //= _widest(given)
    elif name in ("format", "format_map"):
        most //= max((_filled(text, given) for text in (given[1:2] if f is format else given[:1])), default=1)
    return most > 0


def is_folded(op: Callable[[Any, Any], Any], a: Any, b: Any) -> bool:
    """Whether an operator on two known values has a result of acceptable size."""
    numbers = isinstance(a, int) and isinstance(b, int)
    if op is operator.add and isinstance(a, (str, bytes, tuple)) and isinstance(b, (str, bytes, tuple)):
        return len(a) + len(b) <= budget.LIMITS.value
    if op is operator.mul and not numbers:
        return all(not hasattr(x, "__len__") or len(x) * _count(y) <= budget.LIMITS.value for x, y in ((a, b), (b, a)))
    if op is operator.mul:
        return bool(a.bit_length() + b.bit_length() <= budget.LIMITS.bits)
    if op is operator.pow:
        return is_power_bounded(a, b)
    if op is operator.lshift and numbers:
        return bool(b < 0 or a.bit_length() + b <= budget.LIMITS.bits)
    if op is operator.mod and isinstance(a, (str, bytes)):
        text = a if isinstance(a, str) else a.decode("latin-1")
        given = [a, *(b if isinstance(b, tuple) else (b,))]
        widest = max(_widest(given) if "*" in text else 1, _literal(text))
        return size((a, b)) <= budget.LIMITS.value and (len(a) + 1) * widest <= budget.LIMITS.made
    return True


def is_power_bounded(a: Any, b: Any) -> bool:
    """Whether `a ** b` is a number of acceptable size."""
    if not isinstance(a, int) or not isinstance(b, int):
        return True
    return abs(a) < 2 or a.bit_length() * abs(b) <= budget.LIMITS.bits


def _count(v: Any) -> int:
    return max(v, 0) if isinstance(v, int) else 0


def _widest(given: Collection[Any]) -> int:
    """The largest number among the arguments, or in a tuple or list among them."""
    return max((abs(one) for one in given if isinstance(one, int)), default=1) or 1


def _filled(template: Any, given: Collection[Any]) -> int:
    """The largest width that a template of `format` may fill."""
    text = template if isinstance(template, str) else ""
    return max(_widest(given) if _NESTED.search(text) else 1, _literal(text))


def _literal(text: str) -> int:
    """The largest number that is written in a template."""
    return max((int(digits[:9]) for digits in _NUMBERS.findall(text)), default=1) or 1
