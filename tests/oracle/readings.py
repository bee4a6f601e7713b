"""What each backward of a file is about to read of the tensors that its statements name."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gradguard.runtime import graph
from gradguard.runtime.dispatch import version
from gradguard.runtime.inspection import Inspector, asked
from gradguard.runtime.watching import watching

from .answers import Reading
from .judge import Thorough
from .trace import Tracer

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

    import torch


def readings(path: Path) -> dict[str, Any]:
    """What `trace_readings` tells, as plain data."""
    tracer, reader = Tracer(path), Reader()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with watching(reader, Inspector(reader), lambda _: None):
            tracer.follow()
    named = len(tracer.storages)
    told = [Reading(*head, tracer.number(storage), *tail) for head, storage, tail in reader.readings]
    return {
        "rows": [asdict(row) for row in sorted(tracer.rows.values(), key=lambda row: (row.line, row.name))],
        "readings": [asdict(reading) for reading in told if reading.storage < named],
    }


class Reader(Thorough):
    """Notes before each backward what that will read."""

    def __init__(self) -> None:
        super().__init__()
        self.readings: list[tuple[tuple[int, str], torch.UntypedStorage, tuple[int, int, int, bool]]] = []
        """of each: the line and node that saved, the storage, and the rest of a Reading's fields"""

    def begin(self, frame: FrameType, keeps: bool) -> None:
        super().begin(frame, keeps)
        assert self.backward is not None
        line = self.line(self.backward.trail)
        outputs, inputs, _ = asked(frame)
        for node in sorted(graph.nodes(outputs, inputs), key=lambda node: node._sequence_nr()):
            for one in graph.kept(node):
                self.note(one, line)

    def note(self, one: graph.Kept, line: int) -> None:
        """Note one saved tensor."""
        made, stale = self.made(one.node), graph.staleness(one)
        tensor = one.unchecked() if stale else one.read()
        if made is None or tensor is None:
            return
        now, then = stale[:2] if stale else (version(tensor), version(tensor))
        same = not self.changed(tensor, made)
        place = self.line(made.trail), one.node.name()
        self.readings.append((place, tensor.untyped_storage(), (then, line, now, same)))

    def line(self, trail: tuple[int, ...]) -> int:
        """The number of a trail's line."""
        return self.places.stack(trail)[-1].line + 1
