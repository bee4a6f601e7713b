"""Calls that are tried with few steps: one that would take more is undone, and its result stays unknown.

@documented             # `limited_call`: a decorator that walks through the whole package is cut short
def loss(x): …

helper(x)               # `briefly`: familiar code, which earlier entry points have run with other arguments
mask = make_mask(x)     # `elsewhere`: a function of another file
self(x)                 # `soon_calling`: a wrapper that looks through all arguments before it calls `forward`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..domain import budget
from ..domain.modules import is_model
from ..domain.paths import Exhausted
from ..domain.values import ABSENT, Args, Bound, ClassV, FunctionV, Partial, Value, Wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

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


def elsewhere(m: Machine, run: Callable[[], Value], otherwise: Value) -> Value:
    """Run another file's function for the one that is entered, whose patience it doesn't try."""
    begun = m.work.steps
    result = limited(m, budget.LIMITS.elsewhere_steps, run, otherwise)
    m.work.limit = min(m.work.most, m.work.limit + m.work.steps - begun)
    return result


def limited(m: Machine, steps: int, run: Callable[[], Value], otherwise: Value) -> Value:
    """Run something with this many steps; if it would take more, undo it and give `otherwise`."""
    work, mark, suspended, awaited = m.work, m.mark(), len(m.coroutines), m.work.awaited
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
        work.most, limit = work.since(awaited, most, limit)
        work.limit = min(work.most, max(limit, work.limit))


def soon_calling(m: Machine, wrapped: FunctionV, run: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
    """Run a wrapper; if it takes many steps until it calls what it wraps, undo it and do `otherwise`."""
    work, mark, suspended = m.work, m.mark(), len(m.coroutines)
    awaited = work.await_call(wrapped.node, budget.LIMITS.wrapping_steps)
    try:
        return run()
    except Exhausted:
        too_long = awaited.pending and work.limit == work.most < awaited.most
        if not too_long or len(m.coroutines) != suspended:
            raise
    finally:
        work.arrive(awaited)
    work.given_up += 1
    m.go_back(mark)
    m.stop("work")
    return otherwise()


def briefly(m: Machine, run: Callable[[], Value], otherwise: Value, building: bool = False) -> Value:
    """Run familiar code, or a familiar constructor, for code that isn't; if it shows nothing new, give `otherwise`."""
    work, mark, suspended, news, awaited = m.work, m.mark(), len(m.coroutines), m.work.news, m.work.awaited
    assert work.familiar is not None
    patience, limit = work.patience, work.limit
    work.patience = work.familiar.building if building else work.familiar.patience
    work.limit = min(limit, work.steps + work.patience)
    try:
        with work.trying():
            return run()
    except Exhausted:
        spent = work.steps > (work.most if work.news > news else min(limit, work.most))
        if spent or len(m.coroutines) != suspended:
            raise
        m.go_back(mark)
        return otherwise
    finally:
        work.patience, (_, work.limit) = patience, work.since(awaited, work.most, limit)
        if work.news > news:
            work.go_on()


def is_aside(m: Machine, function: FunctionV) -> bool:
    """Whether a function is familiar but its caller isn't."""
    caller = m.frame.function
    known = caller is None or is_model(caller.chunk) or m.work.is_familiar(caller)
    return not known and m.work.is_familiar(function)


def leaves_file(m: Machine, function: FunctionV) -> bool:
    """Whether the file that is entered calls a function of another file."""
    caller = m.frame.function
    if not m.work.entering or caller is None or is_model(function.chunk):
        return False
    return caller.chunk.path == m.files.main != function.chunk.path


def is_part(m: Machine, function: FunctionV) -> bool:
    """Whether what is called makes, or is, a part of a module of the file that is entered: not what it inherits."""
    caller = m.frame.function
    if not leaves_file(m, function) or caller is None:
        return False
    inherits = caller.cls is not None and function.cls in caller.cls.mro
    return not inherits and (m.frame.name == "__init__" or is_of_module(function))


def is_helped(m: Machine, function: FunctionV) -> bool:
    """Whether a module of the file that is entered calls something of another file that is neither module nor built."""
    caller = m.frame.function
    helps = leaves_file(m, function) and function.name != "__init__" and not is_of_module(function)
    return helps and is_of_module(caller) and not m.work.is_familiar(caller)


def is_of_module(function: FunctionV | None) -> bool:
    """Whether a function is a method of a module."""
    cls = function.cls if function is not None else None
    return cls is not None and cls.derives("torch.nn.Module")
