"""The server with a replay that raises where the text asks for it, and a rule that always does."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from gradguard.analyses.program import Session
from gradguard.lsp.server import main
from gradguard.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradguard.analyses.report import Failure, Report
    from gradguard.rules.messages import Locale
    from gradguard.syntax.chunks import Source

replay_well = Session.replay


def crashing(session: Session, roots: Sequence[Source]) -> Report:
    if any("crash the replay" in root.text for root in roots):
        raise RuntimeError("asked to crash")
    return replay_well(session, roots)


def tell(failure: Failure, locale: Locale) -> str:
    raise RuntimeError("cannot tell")


if __name__ == "__main__":
    RULES["GG402"] = replace(RULES["GG402"], message=tell)
    Session.replay = crashing
    sys.exit(main())
