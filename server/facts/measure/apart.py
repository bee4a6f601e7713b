"""Measure in processes of their own, since on some arguments some releases of PyTorch end the process.

What a process that dies has cost is made good:

    of([gradients.measure], entries)    32 entries a process
    … a process dies                    its entries again, one a process
    … the process of one entry dies     that entry with the next, more careful way to measure; else it is left out
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections import deque
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, TypeVar

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Item = TypeVar("Item")
Told = TypeVar("Told")

TOGETHER = 32
"""how many items are measured in one process"""

FORK = multiprocessing.get_context("fork")
"""a forked process has what was imported, and needs nothing handed over"""


def of(
    ways: Sequence[Callable[[Sequence[Item]], Told]], items: Sequence[Item]
) -> Iterator[tuple[list[Item], Told | None]]:
    """Yield the items, a few at a time and in any order, with what a process measured of them.

    The first of the `ways` is tried. If a process dies on a single item, the other ways are tried in turn; if it dies
    in all of them, the item comes with None. Raises RuntimeError if a measurement raises.
    """
    todo = deque((list(items[at : at + TOGETHER]), 0) for at in range(0, len(items), TOGETHER))
    running: dict[Connection, tuple[list[Item], int, BaseProcess]] = {}
    while todo or running:
        while todo and len(running) < (os.cpu_count() or 1):
            some, way = todo.popleft()
            process, told = _started(ways[way], some)
            running[told] = some, way, process
        ready = wait(list(running))
        for told in [one for one in running if one in ready]:
            some, way, process = running.pop(told)
            if answer := _received(told, process):
                yield some, answer[0]
            elif len(some) > 1:
                todo.extend(([one], way) for one in some)
            elif way + 1 < len(ways):
                todo.append((some, way + 1))
            else:
                yield some, None


def _started(measure: Callable[[Sequence[Item]], Told], some: Sequence[Item]) -> tuple[BaseProcess, Connection]:
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_tell, args=(measure, some, theirs))
    process.start()
    theirs.close()  # so that its end is seen here
    return process, ours


def _tell(measure: Callable[[Sequence[Item]], Told], some: Sequence[Item], to: Connection) -> None:
    torch.manual_seed(0)  # what is found doesn't depend on what shares a process
    to.send((measure(some),))


def _received(told: Connection, process: BaseProcess) -> tuple[()] | tuple[Any]:
    """What a process measured, in a tuple; an empty one if a signal killed it, as when PyTorch crashes."""
    answer: tuple[()] | tuple[Any] = ()
    with contextlib.suppress(EOFError):
        answer = told.recv()
    process.join()
    if not answer and (process.exitcode or 0) > 0:
        raise RuntimeError("a measurement raised; its traceback stands above")
    return answer
