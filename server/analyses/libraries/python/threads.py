"""Threads and executors: their functions are called at once, in the modes that a new thread has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domain.paths import Raised
from ...domain.registry import BASES, class_named, method_of, model
from ...domain.values import ABSENT, Args, Instance, ListV, Unknown, Value
from ...python import attributes, sequences
from .iterables import map_

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...python.machine import Machine

EXECUTOR = "concurrent.futures.Executor"
FUTURE = "concurrent.futures.Future"
THREAD = "threading.Thread"
BASES[EXECUTOR] = BASES[FUTURE] = BASES[THREAD] = ()
for _name in ("ThreadPoolExecutor", "ProcessPoolExecutor"):
    BASES[f"concurrent.futures.{_name}"] = (EXECUTOR,)

FRESH: dict[str, Value] = {"grad": True, "inference": False, "hooks": None, "autocast": None}
"""The modes of a new thread, which doesn't inherit those of its starter (`c10/core/AutogradState.cpp`)."""


def aside(m: Machine, work: Callable[[], Value]) -> Value:
    """Run `work` as a thread of its own would."""
    with m.grad.within(**FRESH):
        return work()


@model("asyncio.to_thread")
def to_thread(m: Machine, args: Args) -> Value:
    """`to_thread(f, …)`: a call."""
    f = args[0]
    return aside(m, lambda: m.call(f, Args(args.pos[1:], args.kw, args.open, args.site)))


# -- executors ----------------------------------------------------------------------------------------------


@method_of(EXECUTOR, "__init__", "shutdown")
def executor(m: Machine, args: Args) -> Value:
    """`ThreadPoolExecutor(n)`."""
    return None


@method_of(EXECUTOR, "submit")
def submit(m: Machine, args: Args) -> Value:
    """`pool.submit(f, …)`: `f` is called at once; the future holds its result or exception."""
    future = Instance(class_named(m, FUTURE), m.here.site)
    m.handlers += 1
    try:
        v = aside(m, lambda: m.call(args[1], Args(args.pos[2:], args.kw, args.open, args.site)))
    except Raised as error:
        future.model_state["error"] = error
    else:
        m.state.set(future.model_state, "result", v)
    finally:
        m.handlers -= 1
    return future


@method_of(FUTURE, "result")
def result(m: Machine, args: Args) -> Value:
    """`future.result()`."""
    future = args[0]
    if "error" in future.model_state:
        raise future.model_state["error"]
    return m.state.resolve(future.model_state.get("result", Unknown("a result")))


@method_of(FUTURE, "exception")
def exception(m: Machine, args: Args) -> Value:
    """`future.exception()`: the exception, or None."""
    error = args[0].model_state.get("error")
    return error.value if isinstance(error, Raised) else None


@method_of(EXECUTOR, "map")
def map_now(m: Machine, args: Args) -> Value:
    """`pool.map(f, items)`: all calls are made at once."""
    mapped = Args(args.pos[1:], site=args.site)
    return aside(m, lambda: ListV(tuple(sequences.sequence(m, map_(m, mapped)).known())))


@model("concurrent.futures.as_completed", "concurrent.futures.wait")
def as_completed(m: Machine, args: Args) -> Value:
    """`as_completed(futures)`: in the order in which they were made."""
    return args.get(0, "fs")


# -- threads ------------------------------------------------------------------------------------------------


@method_of(THREAD, "start")
def start(m: Machine, args: Args) -> Value:
    """`thread.start()`: the target, or the program's own `run`, is called at once; exceptions end the thread only."""
    thread = args[0]
    if m.state.resolve(thread.model_state.get("started")) is True:
        raise Raised(None, "RuntimeError")
    m.state.set(thread.model_state, "started", True)
    try:
        aside(m, lambda: run(m, thread, args))
    except Raised as error:
        if error.failures:  # these are reported
            raise
    return None


def run(m: Machine, thread: Instance, args: Args) -> Value:
    """Call the target of a thread, or its `run`."""
    own = thread.cls.lookup("run")
    if own is not ABSENT:
        return m.call(attributes.bound(m, own, thread), Args())
    if "target" not in thread.model_state:
        return None
    given = m.state.resolve(thread.model_state.get("args", ()))
    into: dict[str, Value] = {}
    sequences.unpack_mapping(m, thread.model_state.get("kwargs"), into)
    return m.call(thread.model_state["target"], Args(sequences.sequence(m, given).known(), into, site=args.site))


@method_of(THREAD, "join")
def join(m: Machine, args: Args) -> Value:
    """`thread.join()`: raises before the thread is started."""
    if m.state.resolve(args[0].model_state.get("started")) is None:
        raise Raised(None, "RuntimeError")
    return None
