"""What a run saw, as plain data: failures with the places that explain them. It goes into a file of JSON and back."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

FORMAT = 1
"""version of the file; a file of another version is not read"""

PLACE = ".gradguard_cache/seen.json"
"""where editors look for a record, below the folder of the project"""

Range = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file: its 0-based `line`, and the `range` of the expression that ran there, where Python knows it.

    A range has 0-based lines, and columns in code points; its end is exclusive. `text` is the line as it was then.
    """

    path: str
    line: int
    function: str = ""
    range: Range | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class SeenWrite:
    """A change of a tensor's memory by the operation `op`, and the version counter before and after it.

    `stack` leads there, outermost first; its last spot is the place. `counted` is False where the counter that moved
    is another than that of the tensor which was saved. `optimizer`: the write is a step of one.
    """

    op: str
    stack: tuple[Spot, ...]
    before: int | None = None
    after: int | None = None
    counted: bool = True
    optimizer: bool = False

    @property
    def spot(self) -> Spot:
        """Where it was."""
        return self.stack[-1]


@dataclass(frozen=True, slots=True)
class SeenSave:
    """A tensor that an operation saved for backward: what it is to the operation, and its version then.

    `leaf`: it is a leaf that requires grad, such as a parameter.
    """

    op: str
    role: str
    stack: tuple[Spot, ...]
    version: int | None = None
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    name: str | None = None
    leaf: bool = False

    @property
    def spot(self) -> Spot:
        """Where it was."""
        return self.stack[-1]


@dataclass(frozen=True, slots=True)
class Sighting:
    """One failure that a run saw. `kind` is the contract's, `message` PyTorch's own; empty where nothing was raised.

    `stack` leads to the line that raised, or to the backward that was silently wrong, outermost first. `made` is where
    the tensor became what it is (a view, the result of an operation), or which backward freed the graph, and
    `made_by` the operation. `more` counts the earlier writes that are not listed. `who` is the rank, the thread or
    the process, if not the only one; `test` the test that was running.
    """

    kind: str
    stack: tuple[Spot, ...]
    message: str = ""
    error: str = ""
    name: str | None = None
    saved: SeenSave | None = None
    writes: tuple[SeenWrite, ...] = ()
    more: int = 0
    made: tuple[Spot, ...] = ()
    made_by: str = ""
    carried: bool = False
    who: str = ""
    test: str = ""
    time: float = 0.0

    @property
    def spot(self) -> Spot | None:
        """Where it came to light; None where no line of the program was on the stack."""
        return self.stack[-1] if self.stack else None

    @property
    def places(self) -> tuple[object, ...]:
        """Its identity: two sightings with the same key are the same failure."""
        return (
            self.kind,
            self.spot,
            self.saved and self.saved.spot,
            self.made[-1:],
            tuple(write.spot for write in self.writes[-1:]),
        )


@dataclass(slots=True)
class Record:
    """What the run of a command saw."""

    command: list[str] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)


def dump(record: Record) -> str:
    """The record as JSON."""
    return json.dumps({"format": FORMAT, **asdict(record)}, indent=1) + "\n"


def write_record(path: Path, command: Iterable[str], sightings: Iterable[Sighting]) -> None:
    """Write what a command saw to a file, in folders that are made if need be. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump(Record(list(command), list(sightings))), encoding="utf-8")


def load(text: str) -> Record:
    """The record that `dump` wrote. Raises ValueError for any other text."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError("not a record of this version")
    try:
        sightings = [sighting(one) for one in data["sightings"]]
        return Record(data["command"], sightings)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a record: {error}") from None


def read(path: Path) -> Record:
    """The record in a file. Raises OSError, and ValueError if the file is not a record."""
    return load(path.read_text(encoding="utf-8"))


def once(sightings: Iterable[Sighting]) -> list[Sighting]:
    """Each failure once, in the order of time: of equal ones from several processes, the first is kept."""
    known: dict[object, Sighting] = {}
    for one in sorted(sightings, key=lambda one: one.time):
        known.setdefault((one.places, one.test), one)
    return list(known.values())


def add(folder: Path, seen: Sighting, **more: str) -> None:
    """Add what this process has seen to a folder, and `more` with it. A missing folder must not trouble the program."""
    try:
        with open(folder / f"{os.getpid()}.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps({**asdict(seen), **more}) + "\n")
    except OSError:
        return


def collect(folder: Path) -> Iterator[Sighting]:
    """What processes have added to a folder, in no particular order."""
    return map(sighting, added(folder))


def added(folder: Path) -> Iterator[dict[str, Any]]:
    """The same as plain data, with what was added to it."""
    for path in folder.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):  # else the process was killed while it wrote
                yield json.loads(line)


def sighting(data: dict[str, Any]) -> Sighting:
    """A sighting from plain data. Raises TypeError if it is not one."""
    told: Sighting = _made(Sighting, data)
    return told


_nested: dict[str, Callable[[Any], Any]] = {
    "stack": lambda value: tuple(_made(Spot, one) for one in value),
    "made": lambda value: tuple(_made(Spot, one) for one in value),
    "writes": lambda value: tuple(_made(SeenWrite, one) for one in value),
    "saved": lambda value: None if value is None else _made(SeenSave, value),
    "range": lambda value: None if value is None else tuple(value),
    "shape": lambda value: None if value is None else tuple(value),
}


def _made(kind: type, data: dict[str, Any]) -> Any:
    known = {one.name for one in fields(kind)}
    return kind(**{key: _nested.get(key, _same)(value) for key, value in data.items() if key in known})


def _same(value: Any) -> Any:
    return value
