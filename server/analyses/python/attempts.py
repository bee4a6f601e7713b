"""Calls that are tried with few steps: one that would take more is undone, and its result stays unknown.

@documented             # `limited_call`: a decorator that walks through the whole package is cut short
def loss(x): …

helper(x)               # `briefly`: familiar code, which earlier entry points have run with other arguments
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..domain import budget
from ..domain.modules import is_model
from ..domain.paths import Exhausted
from ..domain.report import Assumption
from ..domain.values import ABSENT, Args, Bound, ClassV, FunctionV, Object, Partial, Value, Wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .machine import Machine


def limited_call(m: Machine, steps: int, function: Value, args: Args, otherwise: Value) -> Value:
    """Call something with this many steps; `otherwise` if it would take more, or always has."""
    inner, work = function, m.work
    while isinstance(inner, (Bound, Partial, Wrapped)):
        inner = inner.function
    node = inner.node if isinstance(inner, (FunctionV, ClassV)) else None
    if node is None:
        return limited(m, steps, lambda: m.call(function, args), otherwise)
    left = work.too_long.get(node, 0)
    if left >= budget.LIMITS.left_in_a_row:
        work.given_up += 1
        return otherwise
    made = limited(m, steps, lambda: m.call(function, args), ABSENT)
    if made is ABSENT or left:
        m.state.note_item(work.too_long, node, left + 1 if made is ABSENT else 0)
    return otherwise if made is ABSENT else made


def limited(m: Machine, steps: int, run: Callable[[], Value], otherwise: Value) -> Value:
    """Run something with this many steps; if it would take more, undo it and give `otherwise`."""
    work, mark, suspended = m.work, m.mark(), len(m.coroutines)
    limit, most = work.limit, work.most
    work.most = min(most, work.steps + steps)
    work.limit = min(limit, work.most)
    try:
        with work.trying():
            return run()
    except Exhausted:
        if work.limit < work.most or work.most == most or len(m.coroutines) != suspended:
            raise
        work.most = most
        work.given_up += 1
        work.go_on()
        m.go_back(mark)
        m.stop("work")
        return otherwise
    finally:
        work.most = most
        work.limit = min(most, max(limit, work.limit))


def briefly(
    m: Machine, name: str, given: Iterable[Value], run: Callable[[], Value], otherwise: Value, worth: int = 1
) -> Value:
    """Run familiar code for code that isn't; if it shows nothing new, undo it and give `otherwise`.

    It gets `worth` times the patience for familiar code.

    If it is cut short, we guess that it left its arguments (`given`) unchanged; everything after depends on that.
    """
    work, mark, suspended, news = m.work, m.mark(), len(m.coroutines), m.work.news
    assert work.familiar is not None
    patience, limit, work.patience = work.patience, work.limit, work.familiar.patience * worth
    work.limit = min(limit, work.steps + work.patience)
    try:
        with work.trying():
            return run()
    except Exhausted:
        spent = work.steps > (work.most if work.news > news else min(limit, work.most))
        if spent or len(m.coroutines) != suspended:
            raise
        m.go_back(mark)
        if m.now.granted is None and any(isinstance(v, Object) for v in given):
            m.now.granted = Assumption("guess", f"{name}() changes nothing")
        return otherwise
    finally:
        work.patience, work.limit = patience, limit
        if work.news > news:
            work.go_on()


def is_aside(m: Machine, function: FunctionV) -> bool:
    """Whether a function is familiar but its caller isn't."""
    caller = m.frame.function
    known = caller is None or is_model(caller.chunk) or m.work.is_familiar(caller)
    return not known and m.work.is_familiar(function)
