from dataclasses import dataclass, field
from typing import Any


@dataclass
class Losses:
    critic: Any = None
    generator: Any = None
    shown: dict = field(default_factory=dict)

    def items(self):
        yield "critic", self.critic
        yield "generator", self.generator

    def summary(self):
        return ", ".join(f"{name} {value:.3f}" for name, value in self.shown.items())
