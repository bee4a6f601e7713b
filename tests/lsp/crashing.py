"""The server with a replay that raises where the text asks for it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import gradguard.analyses
from gradguard.lsp.server import main

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradguard.analyses import Modules, Report
    from gradguard.syntax.chunks import Source

replay = gradguard.analyses.replay


def crashing(roots: Sequence[Source], modules: Modules) -> Report:
    if any("crash the replay" in root.text for root in roots):
        raise RuntimeError("asked to crash")
    return replay(roots, modules)


if __name__ == "__main__":
    gradguard.analyses.replay = crashing
    sys.exit(main())
