"""Runs a script or a module under observation, as Python would.

What is seen is added to a folder at once, so that nothing is lost if the program is killed. Whoever started this
process reads it there.
"""

from __future__ import annotations

import builtins
import io
import os
import runpy
import signal
import sys
import threading
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING

from ..workspace.record import add
from .processes import Follower, follow
from .telling import tell_of, who

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import CodeType, TracebackType


def run(folder: Path, target: str, arguments: list[str], is_module: bool, silent: bool) -> int:
    """Run a program under observation and return its exit status.

    `target` is a path, or with `is_module` the name of a module. Raises SystemExit if the program does, and ImportError
    if there is no PyTorch. After an interrupt, this process ends by that signal, as Python does.
    """
    from .boxes import open_boxes
    from .inspection import Inspector
    from .recorder import Recorder
    from .watching import watching

    recorder = Recorder(silent)
    inspector = Inspector(recorder, who)
    open_boxes(folder, inspector)
    tell = partial(tell_of, inspector, folder)
    _hear_threads(tell)
    follow(Follower(folder, silent, tell))
    program = _module(target, arguments) if is_module else _script(target, arguments)
    try:
        with watching(recorder, inspector, partial(add, folder)):
            try:
                program()
            except Exception as error:
                return _failed(error, tell)
    except KeyboardInterrupt as error:
        sys.excepthook(type(error), error, _stripped(error.__traceback__))
        sys.stderr.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)  # Python, too, ends by the signal, so that a shell's loop ends
    return 0


def _failed(error: Exception, tell: Callable[[BaseException | None], None]) -> int:
    """Print the traceback of an error that nobody handles as Python does, then report what is known of it."""
    error.__traceback__ = _stripped(error.__traceback__)
    sys.excepthook(type(error), error, error.__traceback__)
    sys.stderr.flush()
    tell(error)
    return 1


def _hear_threads(tell: Callable[[BaseException | None], None]) -> None:
    """Report the errors of threads, too, after Python has printed them."""
    before = threading.excepthook

    def hear(args: threading.ExceptHookArgs) -> None:
        before(args)
        tell(args.exc_value)

    threading.excepthook = hear


def _stripped(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of ours that lead to the program."""
    ours = (__file__, runpy.__file__, "<frozen runpy>")
    while traceback is not None and traceback.tb_frame.f_code.co_filename in ours:
        traceback = traceback.tb_next
    return traceback


def _script(path: str, arguments: list[str]) -> Callable[[], object]:
    """A function that runs a file, or the `__main__` of a folder or an archive, as `python PATH` does."""
    sys.argv = [path, *arguments]
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        return partial(runpy.run_path, path, run_name="__main__")
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    path = os.path.abspath(path)
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=builtins, __cached__=None)

    def execute() -> None:
        exec(_compiled(path), main.__dict__)

    return execute


def _compiled(path: str) -> CodeType:
    with io.open_code(path) as file:
        return compile(file.read(), path, "exec", dont_inherit=True)


def _module(name: str, arguments: list[str]) -> Callable[[], object]:
    """A function that runs a module, as `python -m NAME` does."""
    sys.argv = [name, *arguments]
    sys.path[0] = os.getcwd()
    return partial(runpy.run_module, name, run_name="__main__", alter_sys=True)
