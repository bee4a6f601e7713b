"""Context managers: the program's own, those made from generators, and PyTorch's modes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import attributes, functions, sequences
from .models import registry
from .state import Raised
from .values import ABSENT, Args, ClassV, Generator, Instance, Lib, Phi, Unknown, Value

if TYPE_CHECKING:
    from .machine import Machine

Modes = Callable[["Machine", Instance], dict[str, Value]]


@dataclass(slots=True, eq=False)
class Managed:
    """What a function decorated with `contextlib.contextmanager` gives."""

    generator: Value


def modes_of(cls: ClassV) -> Modes | None:
    """How a library's context manager sets the modes of autograd, if it does."""
    for c in cls.mro:
        found = registry.MODES.get(c.qualname)
        if found is not None:
            return found
    return None


def within(m: Machine, manager: Value, inside: Callable[[Value], Value]) -> Value:
    """Enter `manager`, run `inside` with what it gives, leave; what `inside` gave."""
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
        return swallowing(m, inside)
    enter = manager.cls.lookup("__enter__")
    if enter is ABSENT:
        return inside(manager)
    value = m.call(attributes.bound(m, enter, manager), Args())
    leave = attributes.special(m, manager, "__exit__")
    try:
        outcome = inside(value)
    except Raised:
        if leave is not None and m.call(leave, Args([Unknown(), Unknown(), Unknown()])) is True:
            return None
        raise
    if leave is not None:
        m.call(leave, Args([None, None, None]))
    return outcome


def within_modes(m: Machine, modes: dict[str, Value], manager: Instance, inside: Callable[[Value], Value]) -> Value:
    """Run `inside` with some modes set, and set them back."""
    store = m.grad.mode
    before = manager.state.get("before") or {k: store.get(k) for k in modes}
    for k, v in modes.items():
        m.state.set(store, k, v)
    try:
        return inside(manager)
    finally:
        for k, v in before.items():
            m.state.set(store, k, v)


def within_generator(m: Machine, manager: Managed, inside: Callable[[Value], Value]) -> Value:
    """The generator runs up to its yield, then the body, then the rest of the generator."""
    outcome: Value = None
    frame = m.frame

    def consume(v: Value) -> Value:
        nonlocal outcome
        inner, at = m.frame, (m.chunk, m.node)
        m.frame = frame
        try:
            outcome = inside(v)
        finally:
            m.frame, (m.chunk, m.node) = inner, at
        return None

    if isinstance(manager.generator, Generator):
        with contextlib.suppress(sequences.Stop):
            manager.generator.run(consume)
        return outcome
    return inside(Unknown("the manager's value"))


def swallowing(m: Machine, inside: Callable[[Value], Value]) -> Value:
    """A manager that expects an error: what fails inside is what the program wants."""
    m.catching += 1
    try:
        return inside(Unknown("the error"))
    except Raised:
        return None
    finally:
        m.catching -= 1


__all__ = ["Managed", "functions", "modes_of", "within"]
