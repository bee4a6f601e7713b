"""Conditions on how far a loop has got (`if step % 100 == 0`), in the one turn that stands for many.

    for step in range(10_000):      # turns 3 to 9,999 are replayed as one turn
        if step < 20_000: …         # holds in all of them: one path
        if step % 100 == 0: …       # holds in some: two paths

In that turn, the numbers that the loop counts with are linear in the unknown number of the turn; their keys say so
(here `step` is 3 + turn). Whether a condition on them holds in all turns, in some or in none is found by trying them.
Of a loop to an unknown bound that turn is taken for the last one: what the loop leaves is what its last turn has left.

    for i in range(n):
        layers.append(nn.Linear(3, 3))
        if i < n - 1:               # of the last turn this is false
            layers.append(nn.ReLU(inplace=True))
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..domain import budget
from ..domain.known import is_constant_key, key_of
from ..domain.values import Unknown, Value
from . import comparisons, operators

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from .machine import Machine

Key = Any


def turn(m: Machine, run: int, number: int, left: int | Unknown | None) -> Key:
    """The key of the number of a turn that stands for `left` turns (None: nothing is known of their number)."""
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
        return in_the_last(m, v)
    found = answers(m, v.key, on)
    return next(iter(found)) if len(found) == 1 and isinstance(m.turns[on], int) else v


def in_the_last(m: Machine, v: Unknown) -> Value:
    """The truth of `v` if it is about a turn that is taken for the last, and the bound of its loop; else `v`."""
    for on in turns_in(v.key):
        left = m.turns.get(on)
        if isinstance(left, Unknown):
            key = replaced(v.key, *solved(left.key, ("+", on, ("const", "int", 1))))
            found = answers(m, key, on) if turn_of(key) == on else frozenset[bool]()
            if len(found) == 1:
                return next(iter(found))
    return v


def solved(total: Key, value: Key) -> tuple[Key, Key]:
    """What is left of a sum without its constants, where the whole sum has a value; and the value of that."""
    while is_computed(total) and total[0] in ("+", "-") and len(total) == 3 and is_constant_key(total[2]):
        value, total = ("-" if total[0] == "+" else "+", value, total[2]), total[1]
    return total, value


def replaced(key: Key, part: Key, other: Key) -> Key:
    """A key with another part in the place of one."""
    if key == part:
        return other
    if not is_computed(key) or key[0] == "turn":
        return key
    return (key[0], *(replaced(one, part, other) for one in key[1:]))


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
    left = m.turns[on]
    return tried(key, assumed, left if isinstance(left, int) else None)


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
def turns_in(key: Key) -> tuple[Key, ...]:
    """The turns that a condition is about, among other things."""
    if not is_computed(key):
        return ()
    return (key,) if key[0] == "turn" else tuple(dict.fromkeys(on for part in key[1:] for on in turns_in(part)))


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
