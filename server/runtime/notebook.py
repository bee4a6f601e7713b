"""For notebooks: after `%load_ext gradguard`, a cell that begins with `%%gradguard` runs under observation."""

from __future__ import annotations

import sys
from typing import Any

from .session import Session


def load(ipython: Any) -> None:
    """Declare the magic `%%gradguard` in an IPython shell."""

    def gradguard(line: str, cell: str) -> None:
        """Run the cell, and name the lines where a backward fails or is silently wrong."""
        session = Session(silent="--no-silent" not in line.split())
        session.start()
        try:
            done = ipython.run_cell(cell)
            session.fail(done.error_in_exec)
        finally:
            session.stop()
        print(end=session.report(), file=sys.stderr)

    ipython.register_magic_function(gradguard, "cell")
