"""The server with a replay that raises, or never ends, where the text asks for it, and a rule that always does."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from gradguard.analyses.domain.paths import Unwanted
from gradguard.analyses.program.session import Session
from gradguard.analyses.python.expressions import EVALUATE
from gradguard.lsp import documents
from gradguard.lsp.server import main
from gradguard.rules import RULES
from gradguard.syntax.ir import Constant

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradguard.analyses.domain.report import Failure, Report
    from gradguard.analyses.domain.values import Value
    from gradguard.analyses.python.machine import Machine
    from gradguard.rules.messages import Locale
    from gradguard.syntax.chunks import Source

replay_well = Session.replay


def crashing(session: Session, roots: Sequence[Source], wanted: Callable[[], bool]) -> Report:
    if any("never end" in root.text for root in roots):
        while wanted():
            time.sleep(0.01)
        raise Unwanted
    if any("crash the replay" in root.text for root in roots):
        raise RuntimeError("asked to crash")
    return replay_well(session, roots, wanted)


def tell(failure: Failure, locale: Locale) -> str:
    raise RuntimeError("cannot tell")


evaluate_well = EVALUATE[Constant]


def crashing_there(m: Machine, e: Constant) -> Value:
    if e.value == "crash here":
        raise RuntimeError("asked to crash here")
    return evaluate_well(m, e)


if __name__ == "__main__":
    EVALUATE[Constant] = crashing_there
    RULES["GG402"] = replace(RULES["GG402"], message=tell)
    Session.replay = crashing
    documents.ALLOWANCE = 6.0
    sys.exit(main())
