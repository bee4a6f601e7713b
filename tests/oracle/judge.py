"""The verdict on a program, from how it ended and what was recorded on the way."""

from __future__ import annotations

import re
import warnings
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .answers import KINDS, Verdict
from .execute import execute
from .recorder import Recorder, ordered, recording

if TYPE_CHECKING:
    from pathlib import Path


def judge(path: Path) -> dict[str, Any]:
    """The verdict on a program, as plain data."""
    recorder = Recorder(path.parent)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("always", message="(?s).*(Traceback of forward call|not a leaf Tensor is being)")
            warnings.showwarning = recorder.hear
            with recording(recorder):
                execute(path)
    except Exception as error:
        return asdict(_refused(recorder, error))
    return asdict(_ran(recorder))


def _refused(recorder: Recorder, error: Exception) -> Verdict:
    """The verdict on a program that raised."""
    message = str(error)
    kind = next((kind for kind, pattern in KINDS.items() if re.search(pattern, message)), "other")
    stack, at = [], error.__traceback__
    while at is not None:
        if recorder.is_program(at.tb_frame.f_code.co_filename):
            stack.append(recorder.told(at.tb_frame.f_code.co_filename, at.tb_lineno))
        at = at.tb_next
    saved, mutation = [], stack[-1:]
    if kind == "stale-saved":
        stale = recorder.stale()
        saved = [made.line for made, _ in stale if made.line]
        spoilt = [made.line for made in recorder.reached() if made.spoilt and made.line]
        mutation = [line for made, unpacked in stale for line in recorder.changes(made, unpacked)]
        saved, mutation = saved + spoilt, mutation + spoilt
        if recorder.forward and recorder.forward not in saved:  # the node is out of Python's sight
            saved, mutation = [*saved, recorder.forward], [*mutation, *recorder.hidden_changes()]
    return Verdict(
        False,
        kind,
        message,
        ordered(saved),
        ordered(mutation),
        stack[-1] if stack else None,
        tuple(stack),
        ordered(recorder.lost),
        recorder.spoilt(),
    )


def _ran(recorder: Recorder) -> Verdict:
    """The verdict on a program that ran to its end."""
    if recorder.silent:
        saved, lost = recorder.spoilt(), ordered(recorder.lost)
        mutation = ordered(recorder.changed)
        return Verdict(False, "silent-stale", saved=saved, mutation=mutation, lost=lost, silent=saved)
    if recorder.lost:
        lines = ordered(recorder.lost)
        return Verdict(False, "nonleaf-grad", mutation=lines, raised=lines[0], lost=lines)
    return Verdict(True)
