"""Models of Python's own library beside the library: the same calls give the same values, one by one."""

from __future__ import annotations

import contextvars
import queue
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from gradguard.analyses.libraries import polyfills

if TYPE_CHECKING:
    from collections.abc import Iterator

STANDARD = Path(polyfills.__file__).parent / polyfills.STANDARD


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ModuleType:
    """The model of a module, run by Python itself; a value is always known there."""
    words = ModuleType("gradguard")
    words.known = lambda value: True  # type: ignore[attr-defined]
    spec = spec_from_file_location("model", STANDARD / f"{request.param}.py")
    assert spec is not None and spec.loader is not None
    made = module_from_spec(spec)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "gradguard", words)
        spec.loader.exec_module(made)
    return made


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
