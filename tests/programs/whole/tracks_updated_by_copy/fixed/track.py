from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass
class Track:
    state: Tensor
    age: int = 0

    def move_to(self, place: Tensor) -> None:
        self.state.copy_(place)
        self.age += 1
