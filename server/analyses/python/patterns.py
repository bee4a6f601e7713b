"""`match` patterns: whether a value fits, binding what they capture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...syntax import ir
from ..domain.values import ABSENT, DictV, Instance, ListV, Unknown, Value
from . import assignment, attributes, comparisons, sequences
from .types import check

if TYPE_CHECKING:
    from .machine import Machine


def fits(m: Machine, p: ir.Pattern, v: Value) -> Value:
    """Whether `v` fits the pattern: True, False or an Unknown. Names are bound unless it certainly doesn't fit."""
    mark = len(m.state.trail)
    fit = fitted(m, p, v)
    if fit is False:
        m.state.rewind(mark)
    return fit


def fitted(m: Machine, p: ir.Pattern, v: Value) -> Value:
    """As `fits`, but what a part of the pattern has bound stays."""
    v = m.state.pick(v)
    if isinstance(p, ir.MatchAs):
        fit = fits(m, p.pattern, v) if p.pattern is not None else True
        if p.name is not None and fit is not False:
            assignment.store(m, p.name, v)
        return fit
    if isinstance(p, ir.MatchValue):
        value = m.eval(p.value)
        return comparisons.compare(m, "is" if value in (None, True, False) and value != 0 else "==", v, value)
    if isinstance(p, ir.MatchOr):
        return first_of(m, p, v)
    if isinstance(p, ir.MatchSequence):
        return sequence(m, p, v)
    if isinstance(p, ir.MatchMapping):
        return mapping(m, p, v)
    if isinstance(p, ir.MatchClass):
        return class_(m, p, v)
    return Unknown("whether the pattern fits")


def first_of(m: Machine, p: ir.MatchOr, v: Value) -> Value:
    """`a | b`: the first alternative that fits."""
    result: Value = False
    for q in p.patterns:
        fit = fits(m, q, v)
        if fit is True:
            return True
        result = result if fit is False or result is not False else fit
    return result


def all_of(m: Machine, answers: list[Value]) -> Value:
    """`and` over answers."""
    if any(a is False for a in answers):
        return False
    return next((a for a in answers if a is not True), True)


def sequence(m: Machine, p: ir.MatchSequence, v: Value) -> Value:
    """`[a, *b, c]`."""
    if isinstance(v, (str, bytes, DictV, int, float, type(None))):
        return False
    star = next((i for i, q in enumerate(p.patterns) if isinstance(q, ir.MatchStar)), None)
    known = isinstance(v, tuple) or (isinstance(v, ListV) and not m.state.is_open(v))
    seq = sequences.sequence(m, v, len(p.patterns))
    n = len(seq.items)
    if known and (n != len(p.patterns) if star is None else n < len(p.patterns) - 1):
        return False
    answers: list[Value] = [] if known else [Unknown("the length")]
    for i, q in enumerate(p.patterns):
        if isinstance(q, ir.MatchStar):
            if q.name is not None:
                behind = len(p.patterns) - i - 1
                assignment.store(m, q.name, ListV(tuple(seq.items[i : n - behind])))
            continue
        at = i if star is None or i < star else n - (len(p.patterns) - i)
        answers.append(fits(m, q, seq.item(at)))
    return all_of(m, answers)


def mapping(m: Machine, p: ir.MatchMapping, v: Value) -> Value:
    """`{key: pattern, **rest}`."""
    if not isinstance(v, DictV):
        return Unknown("whether it is a mapping") if isinstance(v, Unknown) else False
    answers: list[Value] = []
    for k, q in zip(p.keys, p.patterns, strict=True):
        key = m.eval(k)
        value = v.items.get(key, ABSENT)
        if value is ABSENT:
            answers.append(Unknown("membership") if m.state.is_open(v) else False)
        else:
            answers.append(fits(m, q, value))
    if p.rest is not None:
        taken = [m.eval(k) for k in p.keys]
        assignment.store(m, p.rest, DictV({k: value for k, value in v.items.items() if k not in taken}))
    return all_of(m, answers)


def class_(m: Machine, p: ir.MatchClass, v: Value) -> Value:
    """`Class(a, name=b)`."""
    cls = m.eval(p.cls)
    answers = [check(m, v, cls)]
    if answers[0] is False:
        return False
    names = list(p.kwd_attrs)
    if p.patterns and isinstance(v, Instance):
        from .classes import all_fields

        listed = v.cls.lookup("__match_args__")
        places = list(listed) if isinstance(listed, tuple) else all_fields(v.cls)
        names = places[: len(p.patterns)] + names
    elif p.patterns:
        return fits(m, p.patterns[0], v)
    for name, q in zip(names, [*p.patterns, *p.kwd_patterns], strict=False):
        answers.append(fits(m, q, attributes.get(m, v, name)))
    return all_of(m, answers)
