"""What the run-time companion tells of a program."""

from __future__ import annotations

import io
import tempfile
from contextlib import redirect_stderr, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gradguard.runtime import running, session  # noqa: F401  (all of it, so that an edit meanwhile changes nothing)
from gradguard.workspace.record import collect, once


def companion(path: Path) -> tuple[list[dict[str, Any]], str]:
    """The failures that a run of a program under observation sees, as plain data, and the traceback that is printed."""
    import torch

    torch.manual_seed(0)
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        with suppress(SystemExit), redirect_stderr(printed):
            running.run(Path(folder), str(path), [], is_module=False, silent=True)
        return [asdict(one) for one in once(collect(Path(folder)))], printed.getvalue()
