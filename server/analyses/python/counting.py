"""Conditions on how far a loop has got (`if step % 100 == 0`), in the one turn that stands for many.

    for step in range(10_000):      # turns 3 to 9,999 are replayed as one turn
        if step < 20_000: …         # holds in all of them: one path
        if step % 100 == 0: …       # holds in some: two paths

In that turn, the numbers that the loop counts with are linear in the unknown number of the turn; their keys say so
(here `step` is 3 + turn). Whether a condition on them holds in all turns, in some or in none is found by trying them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..domain import budget
from ..domain.known import key_of
from ..domain.values import Unknown, Value
from . import comparisons, operators

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from .machine import Machine

Key = Any


def turn(m: Machine, run: int, number: int, left: int | None) -> Key:
    """The key of the number of a turn that stands for `left` turns (None: their number is unknown)."""
    key = ("turn", run, number)
    m.turns[key] = left
    return key


def counter(first: int, step: int, turn_key: Key) -> Unknown:
    """A number that is `first` in the first of the turns and grows by `step` in each."""
    key = ("+", ("const", "int", first), ("*", ("const", "int", step), turn_key))
    return Unknown("the loop's counter", key, number=True)


def moved(v: Unknown, turn_key: Key) -> Unknown | None:
    """A counter of an earlier late turn, as a counter of the turns of `turn_key`; None for anything else."""
    if turn_of(v.key) is None:
        return None
    try:
        first, second = value(v.key, 0), value(v.key, 1)
    except (TypeError, ValueError, ArithmeticError):
        return None
    return counter(first, second - first, turn_key) if isinstance(first, int) and isinstance(second, int) else None


def settled(m: Machine, v: Unknown) -> Value:
    """The truth of `v` if it is the same in all turns that are still possible; else `v`."""
    on = turn_of(v.key)
    if on is None:
        return v
    found = answers(m, v.key, on)
    return next(iter(found)) if len(found) == 1 and m.turns[on] is not None else v


def varies(m: Machine, key: Key) -> bool:
    """Whether a condition depends on the number of the turn alone, and holds in some turns and not in others."""
    on = turn_of(key)
    return on is not None and len(answers(m, key, on)) == 2


def can_be(m: Machine, v: Unknown, other: Value) -> bool:
    """Whether a number can be another, known one in a turn that is still possible."""
    on = turn_of(v.key)
    return on is None or True in answers(m, ("==", v.key, key_of(other)), on)


def answers(m: Machine, key: Key, on: Key) -> frozenset[bool]:
    """The truth of a condition in the turns that agree with all assumptions about them."""
    assumed = tuple((k, holds) for k, holds in m.state.assumed.items() if is_computed(k) and turn_of(k) == on)
    return tried(key, assumed, m.turns[on])


@lru_cache(maxsize=1024)
def tried(key: Key, assumed: tuple[tuple[Key, bool], ...], left: int | None) -> frozenset[bool]:
    """The truth of a condition in those of `left` turns in which other conditions have these answers."""
    found: set[bool] = set()
    most = budget.LIMITS.counted_turns if left is None else min(left, budget.LIMITS.counted_turns)
    for start in range(0, most, budget.LIMITS.counted_at_once):
        turns: Sequence[int] = range(start, min(start + budget.LIMITS.counted_at_once, most))
        try:
            for k, holds in assumed:
                truths = values(k, turns)
                turns = [t for t, truth in zip(turns, truths, strict=True) if bool(truth) is holds]
            found.update(map(bool, values(key, turns)))
        except (TypeError, ValueError, ArithmeticError):
            return frozenset({True, False})
        if len(found) == 2:
            break
    return frozenset(found)


@lru_cache(maxsize=4096)
def turn_of(key: Key) -> Key | None:
    """The turn that a key is about; None if it is about something else as well."""
    found: set[Hashable] = set()
    return found.pop() if all(parts(key, found)) and len(found) == 1 else None


def parts(key: Key, found: set[Hashable]) -> Iterator[bool]:
    """Whether each part of a key can be computed; the turns in it go to `found`."""
    if not isinstance(key, tuple) or not key:
        yield False
    elif key[0] == "turn":
        found.add(key)
    elif key[0] != "const":
        yield is_computed(key)
        for part in key[1:]:
            yield from parts(part, found)


def is_computed(key: Key) -> bool:
    """Whether a key is a turn, or the result of an operator on its other parts."""
    if type(key) is not tuple or not key:
        return False
    return key[0] in ("turn", "not", "and") or key[0] in operators.BINARY or key[0] in comparisons.COMPARE


def value(key: Key, t: int) -> Any:
    """The value of a key in the `t`-th of its turns."""
    return values(key, [t])[0]


def values(key: Key, turns: Sequence[int]) -> Sequence[Any]:
    """The values of a key in some of its turns."""
    if key[0] == "turn":
        return turns
    if key[0] == "const":
        return [key[2]] * len(turns)
    operands = [values(part, turns) for part in key[1:]]
    if key[0] == "not":
        return [not one for one in operands[0]]
    if key[0] == "and":
        return [one and other for one, other in zip(*operands, strict=True)]
    if len(operands) == 1:
        return list(map(operators.UNARY[key[0]], operands[0]))
    return list(map(operators.BINARY.get(key[0]) or comparisons.COMPARE[key[0]], *operands))
