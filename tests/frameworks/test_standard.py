"""Models of Python's own library beside the library: the same calls give the same values, one by one."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import itertools
import operator
import queue
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from gradguard.analyses.libraries import polyfills

from .loading import loaded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STANDARD = Path(polyfills.__file__).parent / polyfills.STANDARD


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ModuleType:
    """The model of a module, run by Python itself; a value is always known there."""
    words = ModuleType("gradguard")
    words.known = lambda value: True  # type: ignore[attr-defined]
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "gradguard", words)
        return loaded("model", STANDARD / f"{request.param}.py")


def of_queue(m: Any, kind: str) -> Iterator[Any]:
    q = getattr(m, kind)()
    yield q.empty(), q.qsize()
    for i in range(3):
        yield q.put(i)
    yield q.put_nowait("x"), q.empty(), q.qsize()
    yield q.get(), q.get_nowait(), q.qsize()
    yield q.get(timeout=1), q.get(block=False), q.empty()
    try:
        q.get_nowait()
    except m.Empty as error:
        yield type(error).__name__


def of_bounded(m: Any) -> Iterator[Any]:
    q = m.Queue(2)
    yield q.maxsize, q.full()
    q.put(1)
    q.put(2)
    yield q.full(), q.get(), q.full(), q.task_done(), len(q.queue)


def of_variables(m: Any) -> Iterator[Any]:
    var, other = m.ContextVar("var", default=1), m.ContextVar("other")
    yield var.name, var.get(), var.get(2), other.get(3)
    try:
        other.get()
    except LookupError as error:
        yield type(error).__name__
    token = var.set(4)
    yield var.get(), var.get(5), token.var is var, token.old_value is m.Token.MISSING
    inner = var.set(6)
    yield var.get(), inner.old_value
    var.reset(inner)
    yield var.get()
    var.reset(token)
    yield var.get(), var.get(7)


class Noted:
    """A manager that notes what happens to it, and may suppress an error."""

    def __init__(self, log: list[Any], name: str, suppresses: bool = False) -> None:
        self.log, self.name, self.suppresses = log, name, suppresses

    def __enter__(self) -> str:
        self.log.append(f"enter {self.name}")
        return self.name

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.log.append((f"exit {self.name}", kind))
        return self.suppresses

    async def __aenter__(self) -> str:
        return self.__enter__()

    async def __aexit__(self, *error: Any) -> bool:
        return self.__exit__(*error)


def of_stack(m: Any) -> Iterator[Any]:
    log: list[Any] = []
    with m.ExitStack() as stack:
        yield stack.enter_context(Noted(log, "a"))
        yield stack.callback(log.append, "called") == log.append
        pushed = Noted(log, "b")
        yield stack.push(pushed) is pushed
        stack.push(lambda *error: log.append(error))
    yield log
    with m.ExitStack() as stack:
        stack.enter_context(Noted(log, "c"))
        other = stack.pop_all()
        log.append("left")
    other.close()
    yield type(other) is type(stack), log
    with m.ExitStack() as stack:
        for name in "xyz":
            stack.enter_context(Noted(log, name, suppresses=name == "y"))
        raise ValueError
    yield log


def of_async_stack(m: Any) -> Iterator[Any]:
    log: list[Any] = []

    async def entered() -> None:
        async with m.AsyncExitStack() as stack:
            log.append(await stack.enter_async_context(Noted(log, "a")))
            log.append(stack.enter_context(Noted(log, "b")))
        stack = m.AsyncExitStack()
        stack.push_async_exit(Noted(log, "c"))
        await stack.aclose()

    asyncio.run(entered())
    yield log


@pytest.mark.parametrize("made", [of_stack, of_async_stack])
@pytest.mark.parametrize("model", ["contextlib"], indirect=True)
def test_stacks_exit_as_pythons_do(model: ModuleType, made: Callable[[Any], Iterator[Any]]) -> None:
    assert list(made(model)) == list(made(contextlib))


@pytest.mark.parametrize("kind", ["Queue", "LifoQueue", "SimpleQueue"])
@pytest.mark.parametrize("model", ["queue"], indirect=True)
def test_queues_give_what_pythons_give(model: ModuleType, kind: str) -> None:
    assert list(of_queue(model, kind)) == list(of_queue(queue, kind))


@pytest.mark.parametrize("model", ["queue"], indirect=True)
def test_a_bounded_queue_is_full_when_pythons_is(model: ModuleType) -> None:
    assert list(of_bounded(model)) == list(of_bounded(queue))


@pytest.mark.parametrize("model", ["contextvars"], indirect=True)
def test_variables_give_what_pythons_give(model: ModuleType) -> None:
    assert list(of_variables(model)) == list(of_variables(contextvars))


def of_itertools(m: Any) -> Iterator[Any]:
    numbers = [3, 1, 4, 1, 5]
    yield list(m.accumulate(numbers)), list(m.accumulate([])), list(m.accumulate([], initial=2))
    yield list(m.accumulate(numbers, max)), list(m.accumulate(iter(numbers), operator.mul, initial=10))
    yield list(m.starmap(pow, [(2, 3), (3, 2)])), list(m.starmap(max, [range(3), [5, 4]]))
    for test in (lambda v: v < 4, lambda v: v > 9, lambda v: True):
        yield list(m.takewhile(test, numbers)), list(m.dropwhile(test, numbers)), list(m.filterfalse(test, numbers))
    yield list(m.filterfalse(None, [0, 1, "", "x"])), list(m.compress("abcd", [1, 0, True, ""]))
    items = iter(numbers)
    yield list(m.takewhile(lambda v: v < 4, items)), list(items)


@pytest.mark.parametrize("model", ["itertools"], indirect=True)
def test_iterators_give_what_pythons_give(model: ModuleType) -> None:
    assert list(of_itertools(model)) == list(of_itertools(itertools))
