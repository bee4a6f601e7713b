"""Watching a part of a program from within its process: what `watch()` gives, and what plugins start and stop."""

from __future__ import annotations

import io
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ..workspace.record import Sighting, once, write_record
from .inspection import Inspector
from .recorder import Recorder
from .telling import known_of, who
from .watching import watching

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Session:
    """What is seen from `start` to `stop` is in `sightings`. `silent` also looks for changes that no counter sees."""

    def __init__(self, silent: bool = True) -> None:
        self.sightings: list[Sighting] = []
        self.test = ""
        """the name of the test that is running; what is seen belongs to it"""
        self._silent = silent
        self._stack = ExitStack()
        self._inspector: Inspector | None = None

    @property
    def is_on(self) -> bool:
        """Whether it is watching."""
        return self._inspector is not None

    def start(self) -> None:
        """Watch from now on."""
        if self._inspector is None:
            recorder = Recorder(self._silent)
            self._inspector = Inspector(recorder, who)
            self._stack.enter_context(watching(recorder, self._inspector, self._see))

    def stop(self) -> None:
        """Stop watching. What was seen stays."""
        self._stack.close()
        self._inspector = None

    def fail(self, error: BaseException | None) -> None:
        """Add what is known of an error that the program did not handle. Its traceback must still be there."""
        seen = known_of(error, self._inspector) if self._inspector is not None else None
        if seen is not None:
            self._see(seen)

    def _see(self, sighting: Sighting) -> None:
        self.sightings = once([*self.sightings, replace(sighting, test=self.test)])

    def report(self, form: str = "full") -> str:
        """What was seen, as text in one of the output formats of `gradguard check`; empty if nothing was."""
        from ..cli.run import write

        out = io.StringIO()
        if self.sightings:
            write(self.sightings, form, out)
        return out.getvalue()

    def save(self, path: Path) -> None:
        """Write what was seen to a file, as JSON, which editors show."""
        write_record(path, sys.argv, self.sightings)


@contextmanager
def watch(silent: bool = True, tell: bool = True) -> Iterator[Session]:
    """Watch what is done in the context. An error is noted, and raised as it is.

    With `tell`, the report is written to standard error at the end, if there is anything to report.
    """
    session = Session(silent)
    session.start()
    try:
        yield session
    except BaseException as error:
        session.fail(error)
        raise
    finally:
        session.stop()
        if tell:
            print(end=session.report(), file=sys.stderr)
