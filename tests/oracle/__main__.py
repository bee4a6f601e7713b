"""The server: a process that has imported torch, and forks a child for each program that it is asked about."""

from __future__ import annotations

import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .companion import companion
from .execute import SECONDS, print_error
from .judge import judge
from .readings import readings
from .trace import trace

if TYPE_CHECKING:
    from collections.abc import Callable


def serve() -> None:
    """Answer requests, one JSON line each, until standard input ends."""
    import torch
    import torch._dynamo  # imported by optimizers, which would cost each child a second
    import torch.utils.checkpoint

    torch.set_num_threads(1)
    sys.dont_write_bytecode = True
    replies = os.fdopen(os.dup(1), "w")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    answers: dict[str, Callable[[Path], object]] = {
        "judge": judge,
        "companion": companion,
        "trace": trace,
        "readings": readings,
        "print": partial(print_error, anomaly=False),
        "print-anomaly": partial(print_error, anomaly=True),
    }
    for request in sys.stdin:
        what, path = json.loads(request)
        replies.write(_in_child(answers[what], Path(path)) + "\n")
        replies.flush()


def _in_child(answer: Callable[[Path], object], path: Path) -> str:
    """What a forked child answers, as JSON; empty if it died."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(SECONDS)
            with os.fdopen(writer, "w") as pipe:
                json.dump(answer(path), pipe)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        reply = pipe.read()
    os.waitpid(child, 0)
    return reply


if __name__ == "__main__":
    serve()
