"""`torch.__version__`: the release whose facts hold, which compares like `TorchVersion` (`torch/torch_version.py`)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...domain.registry import resolver

if TYPE_CHECKING:
    from ...domain.values import Value
    from ...python.machine import Machine


class TorchVersion(str):
    """A version that compares with others, texts and tuples by its numbers: "2.13.0" is newer than "2.4"."""

    __slots__ = ()

    __hash__ = str.__hash__

    def __lt__(self, other: object) -> bool:
        return numbers(self) < numbers(other)

    def __le__(self, other: object) -> bool:
        return numbers(self) <= numbers(other)

    def __gt__(self, other: object) -> bool:
        return numbers(self) > numbers(other)

    def __ge__(self, other: object) -> bool:
        return numbers(self) >= numbers(other)

    def __eq__(self, other: object) -> bool:
        return numbers(self) == numbers(other)

    __ne__ = str.__ne__  # PyTorch leaves it as it is


def numbers(version: object) -> tuple[int, ...]:
    """The numbers of a release, without zeros at the end: `"1.10.0a0+git"` gives (1, 10)."""
    parts = map(str, version) if isinstance(version, tuple) else str(version).split("+")[0].split(".")
    found = [int(match.group()) for part in parts if (match := re.match(r"\d+", part))]
    while found and not found[-1]:
        found.pop()
    return tuple(found)


@resolver("torch.__version__")
@resolver("torch.version.__version__")
def release(m: Machine, name: str) -> Value:
    """The first patch of the release whose facts hold."""
    return TorchVersion(f"{m.facts.name}.0")
