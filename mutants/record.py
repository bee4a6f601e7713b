"""The last run, by file, as `record.json` has it: an edit of each kind that came to the same is counted."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .models import Model


@dataclass(frozen=True, slots=True)
class Outcome:
    """An edit: whether training raises, and how sure GradGuard is of that, of the file alone and with the script.

    `elsewhere` is whether one that works, but for an alarm, raises with other arguments than the script's.
    """

    package: str
    unseen: bool
    file: str
    kind: str
    fails: bool
    alone: str
    scripted: str
    elsewhere: bool = False


class Record:
    """What came of the edits of each file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: dict[str, list[list[str | bool | int]]] = {}
        self.read()

    def read(self) -> None:
        """Read it: others may have written."""
        if self.path.exists():
            self.files = json.loads(self.path.read_text(encoding="utf-8"))

    def add(self, file: str, outcomes: Iterable[Outcome]) -> None:
        """Take what came of a file's edits in the place of what is known of it, and write all."""
        self.read()
        counts = Counter((one.kind, one.fails, one.alone, one.scripted, one.elsewhere) for one in outcomes)
        self.files[file] = [[*key, count] for key, count in sorted(counts.items())]
        lines = (f"{json.dumps(name)}: {json.dumps(some)}" for name, some in sorted(self.files.items()))
        self.path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")

    def outcomes(self, models: Iterable[Model]) -> list[Outcome]:
        """All that is known of these models."""
        return [
            Outcome(f"{model.package} {model.version}", model.unseen, model.file, *key)  # type: ignore[arg-type]
            for model in models
            for *key, count in self.files.get(model.file, ())
            for _ in range(int(count))
        ]
