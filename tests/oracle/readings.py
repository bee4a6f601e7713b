"""What each backward of a file is about to read of the tensors that its statements name."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .answers import Reading
from .recorder import Recorder, recording
from .tensors import copied
from .trace import Tracer

if TYPE_CHECKING:
    from pathlib import Path

    import torch


def readings(path: Path) -> dict[str, Any]:
    """What `trace_readings` tells, as plain data."""
    tracer, reader = Tracer(path), Reader(path.parent)
    with recording(reader), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tracer.follow()
    named = len(tracer.storages)
    told = [Reading(*head, tracer.number(storage), *tail) for head, storage, tail in reader.readings]
    return {
        "rows": [asdict(row) for row in sorted(tracer.rows.values(), key=lambda row: (row.line, row.name))],
        "readings": [asdict(reading) for reading in told if reading.storage < named],
    }


class Reader(Recorder):
    """Notes before each backward what that will read."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.readings: list[tuple[tuple[int, str], torch.UntypedStorage, tuple[int, int, int, bool]]] = []
        """of each: the line and node that saved, the storage, and the rest of a Reading's fields"""

    def before_backward(self, outputs: Any, inputs: Any) -> None:
        super().before_backward(outputs, inputs)
        line = _number(self.line())
        for made in self.reached():
            for saved in made.saved:
                same = bool((copied(saved.tensor) == saved.content).all())
                rest = saved.version, line, saved.tensor._version, same
                self.readings.append(((_number(made.line), made.node.name()), saved.tensor.untyped_storage(), rest))


def _number(place: str | None) -> int:
    """The line's number in `FILE:LINE`."""
    assert place is not None
    return int(place.rpartition(":")[2])
