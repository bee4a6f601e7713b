"""Generators that the program advances by hand (`next(g)`, `g.send(v)`).

    g = pieces(x)       # nothing has run yet
    first = next(g)     # the body runs in a thread of its own, up to its first `yield`; there it waits
    x.add_(1)           # meanwhile the program goes on here
    second = next(g)    # the body goes on, with the changed `x`

A loop over a generator needs only a callback: each `yield` runs the loop's body. A generator that is advanced by hand
has to stop in the middle of its replay, which is a deep stack of our own Python calls; hence the thread. Only one
thread ever runs.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from ..domain import budget
from ..domain.paths import Raised

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..domain.values import Value
    from .machine import Machine


class Closed(BaseException):
    """Ends a generator that is not advanced any more."""


class Coroutine:
    """A generator's replay, which stops at each yield. `run(consume)` replays its body."""

    def __init__(self, m: Machine, run: Callable[[Callable[[Value], Value]], Value]) -> None:
        self.m = m
        self.run = run
        self.inbox: SimpleQueue[tuple[Value, BaseException | None]] = SimpleQueue()
        self.outbox: SimpleQueue[tuple[bool, Value] | BaseException] = SimpleQueue()
        self.inside: tuple[Any, ...] | None = None
        self.running = self.done = False
        m.coroutines.append(self)

    def resume(self, value: Value = None, error: BaseException | None = None) -> tuple[bool, Value]:
        """Go on: the `yield` at which it is suspended returns `value` or raises `error`.

        Gives True and what the generator yields next, or False and what it returns. Raises what it raises.
        """
        if self.done:
            return False, None
        if self.running:
            raise Raised(None, "ValueError")  # generator already executing
        m, outside, around = self.m, self.m.place(), self.m.handlers
        if self.inside is None:
            m.come_to((*outside[:-7], {}, [], [], [], [], [], 1))
            self._start()
        else:
            m.come_to(self.inside)
            m.handlers += around
        self.running = True
        self.inbox.put((value, error))
        reply = self.outbox.get()
        self.running = False
        m.handlers -= around
        self.inside = m.place()
        m.come_to(outside)
        if isinstance(reply, BaseException):
            raise reply
        return reply

    def close(self) -> None:
        """End the generator where it is suspended."""
        if not self.done and self.inside is not None:
            with suppress(Closed):
                self.resume(error=Closed())

    def _start(self) -> None:
        before = threading.stack_size(budget.LIMITS.generator_stack)
        try:
            threading.Thread(target=self._live, daemon=True).start()
        finally:
            threading.stack_size(before)

    def _live(self) -> None:
        reply: tuple[bool, Value] | BaseException
        try:
            self.inbox.get()
            reply = (False, self.run(self._yield))
        except BaseException as error:  # told to the one who waits
            reply = error
        self.done = True
        self.m.coroutines.remove(self)
        self.outbox.put(reply)

    def _yield(self, v: Value) -> Value:
        self.m.state.hold()
        self.outbox.put((True, v))
        value, error = self.inbox.get()
        if error is not None:
            raise error
        return value
