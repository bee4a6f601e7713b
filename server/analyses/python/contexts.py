"""Context managers: the program's own, those made from generators, and PyTorch's modes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ...syntax import ir
from ...syntax.walk import statements as statements_of
from ..domain import registry
from ..domain.modules import is_model
from ..domain.paths import Raised
from ..domain.values import (
    ABSENT,
    Args,
    Bound,
    Builtin,
    ClassV,
    FunctionV,
    Generator,
    Instance,
    Lib,
    Phi,
    Unknown,
    Value,
)
from . import attributes, functions, sequences

if TYPE_CHECKING:
    from .machine import Machine

Modes = Callable[["Machine", Instance], dict[str, Value]]


@dataclass(slots=True, eq=False)
class Managed:
    """The result of a function decorated with `contextlib.contextmanager`; `again` calls it once more."""

    generator: Value
    again: Callable[[], Value]


def mode(name: str, modes: Modes) -> None:
    """Register a library's context manager that sets modes of autograd, in `with` or by its methods."""
    registry.MODES[name] = modes
    registry.method_of(name, "__enter__")(enter_modes)
    registry.method_of(name, "__exit__")(leave_modes)


def enter_modes(m: Machine, args: Args) -> Value:
    """`manager.__enter__()`: sets the modes, and keeps those from before in the manager, as PyTorch does."""
    manager = m.state.resolve(args[0])
    if isinstance(manager, Instance) and (modes := modes_of(manager.cls)) is not None:
        wanted = modes(m, manager)
        m.state.set(manager.model_state, "entered", modes_before(m, wanted, manager))
        set_modes(m, wanted)
    return manager


def leave_modes(m: Machine, args: Args) -> Value:
    """`manager.__exit__(…)`: restores the modes from before it was entered."""
    manager = m.state.resolve(args[0])
    if isinstance(manager, Instance):
        m.state.each(manager.model_state.get("entered"), lambda before: set_modes(m, before or {}))
    return None


def modes_of(cls: ClassV) -> Modes | None:
    """How a library's context manager sets the modes of autograd, if it does."""
    for c in cls.mro:
        found = registry.MODES.get(c.qualname)
        if found is not None:
            return found
    return None


def within(m: Machine, manager: Value, inside: Callable[[Value], Value]) -> Value:
    """Enter `manager`, run `inside` with its value, leave; gives the result of `inside`."""
    manager = m.state.resolve(manager)
    if isinstance(manager, Phi):
        return m.state.each(manager, lambda one: within(m, one, inside))
    if isinstance(manager, Managed):
        return within_generator(m, manager, inside)
    if isinstance(manager, Lib) and registry.MODES.get(manager.name) is not None:
        manager = m.call(manager, Args())
    if not isinstance(manager, Instance):
        return inside(Unknown("the manager's value"))
    modes = modes_of(manager.cls)
    if modes is not None:
        return within_modes(m, modes(m, manager), manager, inside)
    if manager.cls.derives("pytest.raises") or manager.cls.derives("contextlib.suppress"):
        return swallowing(m, manager, inside)
    return within_own(m, manager, inside)


def within_own(m: Machine, manager: Instance, inside: Callable[[Value], Value]) -> Value:
    """Call a manager's `__enter__`, run `inside` with its value, and call `__exit__`."""
    enter, leave = (method(m, manager, name) for name in ("__enter__", "__exit__"))
    value = m.call(enter, Args()) if enter is not None else manager
    handles = may_swallow(m, manager)
    m.handlers += handles
    try:
        with m.state.unwinding():
            outcome = inside(value)
    except Raised as error:
        if leave is not None and m.call(leave, Args(told(m, error))) is True:
            return None
        raise
    finally:
        m.handlers -= handles
    if leave is not None:
        m.call(leave, Args(told(m, None)))
    return outcome


def may_swallow(m: Machine, manager: Value) -> bool:
    """Whether the program's own `__exit__` may suppress an error."""
    leave = attributes.special(m, manager, "__exit__") if isinstance(manager, Instance) else None
    f = leave.function if isinstance(leave, Bound) else leave
    if not isinstance(f, FunctionV) or not isinstance(f.node, ir.FunctionDef) or is_model(f.chunk):
        return False
    given = [s.value for s in statements_of(f.node.body) if isinstance(s, ir.Return)]
    return not all(v is None or (isinstance(v, ir.Constant) and not v.value) for v in given)


def told(m: Machine, error: Raised | None) -> list[Value]:
    """The arguments of `__exit__`: the class of an exception, the exception, and its traceback."""
    if error is None:
        return [None, None, None]
    value = functions.caught(m, error)
    return [value.cls if isinstance(value, Instance) else Unknown("a class"), value, Unknown("a traceback")]


def method(m: Machine, manager: Instance, name: str) -> Value:
    """A manager's `__enter__` or `__exit__`, of the program or a library; None if it has none."""
    own = attributes.special(m, manager, name)
    if own is not None:
        return own
    found = registry.attribute(m, manager, name)
    return found if found is not ABSENT else None


def of_managed(m: Machine, v: Managed, name: str) -> Value:
    """An attribute of a manager that is made from a generator."""
    run = BY_HAND.get(name)
    if run is None or not isinstance(v.generator, Generator):
        return attributes.builtin_method(m, v, name)
    return Builtin(name, partial(run, v.generator))


def enter_generator(generator: Generator, m: Machine, args: Args) -> Value:
    """Run a manager's generator up to its yield; gives what that yields."""
    return sequences.advance(m, generator)[1]


def leave_generator(generator: Generator, m: Machine, args: Args) -> Value:
    """Run the rest of a manager's generator, or raise the error of the body at its yield."""
    value = m.state.resolve(args.get(1, "value"))
    if value is None:
        sequences.advance(m, generator)
        return False
    error = functions.exception(m, value)
    try:
        sequences.advance(m, generator, error=error)
    except Raised as again:
        if again is error:
            return False
        raise
    return True


BY_HAND = {
    "__enter__": enter_generator,
    "__aenter__": enter_generator,
    "__exit__": leave_generator,
    "__aexit__": leave_generator,
}
"""The methods of a manager that is made from a generator."""

attributes.READERS[Managed] = of_managed


def within_modes(m: Machine, modes: dict[str, Value], manager: Instance, inside: Callable[[Value], Value]) -> Value:
    """Run `inside` with some modes set, and restore them."""
    before = modes_before(m, modes, manager)
    set_modes(m, modes)
    try:
        return inside(manager)
    finally:
        set_modes(m, before)


def modes_before(m: Machine, modes: dict[str, Value], manager: Instance) -> dict[str, Value]:
    """What to restore when a manager of these modes is left: the present ones, or those from before it was made."""
    return manager.model_state.get("before") or {k: m.grad.mode.get(k) for k in modes}


def set_modes(m: Machine, modes: dict[str, Value]) -> None:
    """Set some modes of autograd."""
    for k, v in modes.items():
        m.state.set(m.grad.mode, k, v)


def take_back(m: Machine, manager: Instance) -> None:
    """Restore what a manager has set when it was made, as `set_grad_enabled` does if it decorates a function.

    Each call of that function restores the modes from before the call.
    """
    set_modes(m, manager.model_state.get("before") or {})
    m.state.set(manager.model_state, "before", None)


def within_generator(m: Machine, manager: Managed, inside: Callable[[Value], Value]) -> Value:
    """The generator runs up to its yield, then the body, then the rest of the generator."""
    outcome: Value = None
    frame = m.frame

    def consume(v: Value) -> Value:
        nonlocal outcome
        inner, at = m.frame, (m.here.chunk, m.here.node)
        m.frame = frame
        try:
            outcome = inside(v)
        finally:
            m.frame, (m.here.chunk, m.here.node) = inner, at
        return None

    if isinstance(manager.generator, Generator):
        with contextlib.suppress(sequences.Stop), m.state.unwinding():
            manager.generator.run(consume)
        return outcome
    return inside(Unknown("the manager's value"))


def swallowing(m: Machine, manager: Instance, inside: Callable[[Value], Value]) -> Value:
    """A manager that expects errors of some classes: a failure inside is intended."""
    names = functions.exception_names(
        [m.state.resolve(v) for k, v in manager.model_state.items() if isinstance(k, int)]
    )
    expected = functions.takes(names, Raised(None, "RuntimeError"))
    before = m.expected
    m.expected = (*before, *names)
    m.catching += expected
    m.handlers += expected
    try:
        with m.state.unwinding():
            return inside(Unknown("the error"))
    except Raised as error:
        if functions.takes(names, error):
            return None
        raise
    finally:
        m.catching -= expected
        m.handlers -= expected
        m.expected = before
