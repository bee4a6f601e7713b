"""What a person says of each alarm, after reading the code: `labels.toml`.

An alarm is known by its package, file, rule and the text of its line, so that a label stays when lines move.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

    from .check import Alarm

RIGHT, WRONG, OPEN = VERDICTS = ("right", "wrong", "can't tell")


@dataclass(frozen=True, slots=True)
class Label:
    """One alarm judged. `find` names the program of `finds` that fails on PyTorch by the same mechanism."""

    package: str
    file: str
    rule: str
    line: str
    verdict: str
    why: str
    find: str | None = None

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"{self.file}: “{self.verdict}” is none of {', '.join(VERDICTS)}")
        if (self.verdict == RIGHT) is not (self.find is not None):
            raise ValueError(f"{self.file}: what is right, and that alone, has a program that shows it")

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is known by."""
        return self.package, self.file, self.rule, self.line


class Labels:
    """All labels. Raises ValueError for one that says nothing, or for two of the same alarm."""

    def __init__(self, labels: list[Label]) -> None:
        self.by_key = {label.key: label for label in labels}
        if len(self.by_key) < len(labels):
            raise ValueError("an alarm is judged twice")

    def of(self, package: str, alarm: Alarm) -> Label | None:
        """The label of an alarm in a package; None if nobody has judged it."""
        return self.by_key.get((package, *alarm.key))


def read_labels(path: Path) -> Labels:
    """The labels of a file."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("label", [])
    return Labels([Label(**entry) for entry in entries])
