"""What the run-time companion tells of a program."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gradguard.runtime import running, session  # noqa: F401  (all of it, so that an edit meanwhile changes nothing)
from gradguard.workspace.record import collect, once


def companion(path: Path) -> list[dict[str, Any]]:
    """The failures that a run of a program under observation sees, as plain data."""
    import torch

    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        with suppress(SystemExit):
            running.run(Path(folder), str(path), [], is_module=False, silent=True)
        return [asdict(one) for one in once(collect(Path(folder)))]
