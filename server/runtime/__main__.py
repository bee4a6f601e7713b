"""`python -m gradguard.runtime FOLDER silent|seen script|module TARGET ARGS…`: what `gradguard run` starts."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Run what the arguments name under observation and return the exit status: 2 if there is no PyTorch."""
    folder, silent, how, target, *arguments = sys.argv[1:]
    try:
        import torch  # noqa: F401
    except ImportError as error:
        print(f"gradguard: PyTorch cannot be imported ({error}) by {sys.executable}", file=sys.stderr)
        return 2
    from .running import run

    return run(Path(folder), target, arguments, how == "module", silent == "silent")


if __name__ == "__main__":
    sys.exit(main())
