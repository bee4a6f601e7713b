"""The verdict on a program, from how it ended and what the run-time companion's recorder noted on the way."""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gradguard.runtime.inspection import Inspector
from gradguard.runtime.kinds import kind_of
from gradguard.runtime.recorder import Recorder
from gradguard.runtime.watching import watching

from .answers import Verdict
from .execute import execute

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import torch
    from gradguard.runtime.recorder import Memory
    from gradguard.workspace.record import Sighting, Spot


class Thorough(Recorder):
    """Compares whatever is written with what was there: none of the companion's guesses at who may share it."""

    def hides(self, tensor: torch.Tensor, memory: Memory) -> bool:
        return True


def judge(path: Path) -> dict[str, Any]:
    """The verdict on a program, as plain data."""
    recorder = Thorough()
    inspector = Inspector(recorder, most=sys.maxsize)
    seen: list[Sighting] = []
    lines = Lines(path.parent)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", message="(?s).*not a leaf Tensor is being accessed")
        warnings.showwarning = lambda *_, **__: None
        with watching(recorder, inspector, seen.append):
            try:
                execute(path)
            except Exception as error:
                return asdict(_refused(error, inspector, seen, lines))
    return asdict(_ran(seen, lines))


class Lines:
    """Tells places of the program below a folder as `FILE:LINE`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def of(self, spots: Iterable[Spot]) -> tuple[str, ...]:
        """The places that are the program's, as they come."""
        inside = (spot for spot in spots if spot.path.startswith(f"{self.root}{os.sep}"))
        return tuple(f"{os.path.relpath(spot.path, self.root)}:{spot.line + 1}" for spot in inside)

    def last(self, stacks: Iterable[tuple[Spot, ...]]) -> tuple[str, ...]:
        """Of each stack the innermost, in the order of the text."""
        found = {line for stack in stacks for line in self.of(stack)[-1:]}
        return tuple(sorted(found, key=lambda line: (line.rpartition(":")[0], int(line.rpartition(":")[2]))))

    def saved(self, seen: Iterable[Sighting]) -> tuple[str, ...]:
        """The lines that saved."""
        return self.last(one.saved.stack for one in seen if one.saved is not None)

    def written(self, seen: Iterable[Sighting]) -> tuple[str, ...]:
        """The lines that wrote."""
        return self.last(write.stack for one in seen for write in one.writes)


def _refused(error: Exception, inspector: Inspector, seen: list[Sighting], lines: Lines) -> Verdict:
    """The verdict on a program that raised."""
    kind = kind_of(str(error)) or "other"
    stack = lines.of(inspector.places.of_traceback(error.__traceback__))
    silent = [one for one in seen if one.kind == "silent-stale"]
    saved, mutation = (), stack[-1:]
    if kind == "stale-saved":
        stale = inspector.failures(error)
        saved, mutation = lines.saved(stale), lines.written(stale)
    raised = stack[-1] if stack else None
    return Verdict(False, kind, str(error), saved, mutation, raised, stack, _lost(seen, lines), lines.saved(silent))


def _ran(seen: list[Sighting], lines: Lines) -> Verdict:
    """The verdict on a program that ran to its end."""
    silent, lost = [one for one in seen if one.kind == "silent-stale"], _lost(seen, lines)
    if silent:
        saved = lines.saved(silent)
        return Verdict(False, "silent-stale", saved=saved, mutation=lines.written(silent), lost=lost, silent=saved)
    if lost:
        return Verdict(False, "nonleaf-grad", mutation=lost, raised=lost[0], lost=lost)
    return Verdict(True)


def _lost(seen: Iterable[Sighting], lines: Lines) -> tuple[str, ...]:
    """The lines that read `.grad` of a non-leaf."""
    return lines.last(one.stack for one in seen if one.kind == "nonleaf-grad")
