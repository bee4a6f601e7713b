"""Context managers: the program's own, those made from generators, and PyTorch's modes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...syntax import ir
from ...syntax.walk import statements as statements_of
from ..domain import registry
from ..domain.paths import Raised
from ..domain.values import ABSENT, Args, Bound, ClassV, FunctionV, Generator, Instance, Lib, Phi, Unknown, Value
from . import attributes, functions, sequences

if TYPE_CHECKING:
    from .machine import Machine

Modes = Callable[["Machine", Instance], dict[str, Value]]


@dataclass(slots=True, eq=False)
class Managed:
    """The result of a function decorated with `contextlib.contextmanager`; `again` calls it once more."""

    generator: Value
    again: Callable[[], Value]


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
    value, leave = entered(m, manager)
    handles = may_swallow(m, manager)
    m.handlers += handles
    try:
        with m.state.unwinding():
            outcome = inside(value)
    except Raised as error:
        if leave(error) is True:
            return None
        raise
    finally:
        m.handlers -= handles
    leave(None)
    return outcome


def may_swallow(m: Machine, manager: Value) -> bool:
    """Whether the program's own `__exit__` may suppress an error."""
    leave = attributes.special(m, manager, "__exit__") if isinstance(manager, Instance) else None
    f = leave.function if isinstance(leave, Bound) else leave
    if not isinstance(f, FunctionV) or not isinstance(f.node, ir.FunctionDef):
        return False
    given = [s.value for s in statements_of(f.node.body) if isinstance(s, ir.Return)]
    return not all(v is None or (isinstance(v, ir.Constant) and not v.value) for v in given)


Leave = Callable[[Raised | None], Value]
"""Leaves a manager, with the error that the body raised, if any."""


def entered(m: Machine, manager: Value) -> tuple[Value, Leave]:
    """Enter a manager by hand (`ExitStack.enter_context`); gives its value, and a function that leaves it."""
    manager = m.state.resolve(manager)
    if isinstance(manager, Managed) and isinstance(manager.generator, Generator):
        return entered_generator(m, manager.generator)
    if not isinstance(manager, Instance):
        return Unknown("the manager's value"), lambda error: None
    modes = modes_of(manager.cls)
    if modes is not None:
        restore = set_modes(m, modes(m, manager), manager)
        return manager, lambda error: restore()
    enter, leave = (method(m, manager, name) for name in ("__enter__", "__exit__"))
    value = m.call(enter, Args()) if enter is not None else manager
    if leave is None:
        return value, lambda error: None
    return value, lambda error: m.call(leave, Args(told(m, error)))


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


def entered_generator(m: Machine, generator: Generator) -> tuple[Value, Leave]:
    """Run a generator's manager up to its yield; leaving it runs the rest."""
    _, value = sequences.advance(m, generator)

    def leave(error: Raised | None) -> Value:
        if error is None:
            sequences.advance(m, generator)
            return None
        try:
            sequences.advance(m, generator, error=error)
        except Raised as again:
            if again is error:
                return False
            raise
        return True

    return value, leave


def within_modes(m: Machine, modes: dict[str, Value], manager: Instance, inside: Callable[[Value], Value]) -> Value:
    """Run `inside` with some modes set, and restore them."""
    restore = set_modes(m, modes, manager)
    try:
        return inside(manager)
    finally:
        restore()


def set_modes(m: Machine, modes: dict[str, Value], manager: Instance) -> Callable[[], None]:
    """Set some modes of autograd; gives a function that restores them."""
    store = m.grad.mode
    before = manager.model_state.get("before") or {k: store.get(k) for k in modes}

    def restore() -> None:
        for k, v in before.items():
            m.state.set(store, k, v)

    for k, v in modes.items():
        m.state.set(store, k, v)
    return restore


def take_back(m: Machine, manager: Instance) -> None:
    """Restore what a manager has set when it was made, as `set_grad_enabled` does if it decorates a function.

    Each call of that function restores the modes from before the call.
    """
    for k, v in (manager.model_state.get("before") or {}).items():
        m.state.set(m.grad.mode, k, v)
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
