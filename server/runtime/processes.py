"""Processes that a program starts by `multiprocessing`: a forked one stays watched, any other begins to be watched.

`multiprocessing` prints the error of a process, and PyTorch hands it to the parent as text: the error itself ends with
its process. So it is reported there, while it passes. A process that isn't forked imports the main program first; if
that doesn't import PyTorch, nothing is watched.
"""

from __future__ import annotations

import multiprocessing.spawn
import sys
from contextlib import ExitStack, contextmanager
from functools import partial, wraps
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any

from ..workspace.record import add
from .telling import tell_of, who

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Follower:
    """Follows a program into its processes, and adds what they see to the folder of the run.

    `tell` reports an error; it is None in a process that isn't watched yet.
    """

    def __init__(self, folder: Path, silent: bool, tell: Callable[[BaseException], None] | None = None) -> None:
        self.folder, self.silent, self.tell = folder, silent, tell

    def __reduce__(self) -> tuple[Any, ...]:
        return _follow, (self.folder, self.silent)

    @contextmanager
    def watched(self) -> Iterator[Callable[[BaseException], None]]:
        """A context in which this process is watched; it gives what reports an error."""
        if self.tell is not None or "torch" not in sys.modules:
            yield self.tell or _keep_quiet
            return
        from .boxes import open_boxes
        from .inspection import Inspector
        from .recorder import Recorder
        from .watching import watching

        recorder = Recorder(self.silent)
        inspector = Inspector(recorder, who)
        open_boxes(self.folder, inspector)
        with watching(recorder, inspector, partial(add, self.folder)):
            yield partial(tell_of, inspector, self.folder)

    def hearing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that does the same and reports what it raises, without a frame of ours in the traceback."""

        @wraps(function)
        def heard(*args: Any, **kwargs: Any) -> Any:
            stack = ExitStack()  # a `with` would add frames
            tell = stack.enter_context(self.watched())
            try:
                return function(*args, **kwargs)
            except Exception as error:
                own = error.__traceback__
                error.__traceback__ = own.tb_next if own is not None else None
                tell(error)
                raise
            finally:
                stack.close()

        return heard

    def hear(self, process: Any) -> None:
        """Let a process report what it fails with.

        PyTorch's `spawn` handles the errors of the function that it is given, so that function is wrapped instead.
        """
        spawn = sys.modules.get("torch.multiprocessing.spawn")
        if spawn is not None and process._target is getattr(spawn, "_wrap", None):
            function, *rest = process._args
            process._args = (self.hearing(function), *rest)
        else:
            process.run = self.hearing(process.run)


class _Beginning:
    """The first method of a process, which the new process itself looks up: from then on it is heard."""

    def __init__(self, method: Callable[..., Any], follower: Follower) -> None:
        self.method, self.follower = method, follower

    def __get__(self, process: Any, kind: type | None = None) -> Any:
        if process is None:
            return self.method
        self.follower.hear(process)
        return self.method.__get__(process)


def follow(follower: Follower) -> None:
    """Follow this program from now on into the processes that it starts."""
    prepare = multiprocessing.spawn.get_preparation_data

    @wraps(prepare)
    def prepared(name: str) -> dict[str, Any]:
        return {**prepare(name), "gradguard": follower}  # unpickling it there begins to follow

    multiprocessing.spawn.get_preparation_data = prepared
    setattr(BaseProcess, "_bootstrap", _Beginning(vars(BaseProcess)["_bootstrap"], follower))  # noqa: B010


def _follow(folder: Path, silent: bool) -> Follower:
    follower = Follower(folder, silent)
    follow(follower)
    return follower


def _keep_quiet(error: BaseException) -> None:
    """Report nothing: this process isn't watched."""
