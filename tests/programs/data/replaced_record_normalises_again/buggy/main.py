"""Readings of a spectrometer as records that normalise themselves."""
from dataclasses import InitVar, dataclass, field, replace

import torch


@dataclass
class Reading:
    counts: torch.Tensor
    floor: InitVar[float] = 0.1
    channel: int = field(default=0, kw_only=True)

    def __post_init__(self, floor):
        self.counts.add_(floor)  # changed


torch.manual_seed(6)
lamp = torch.rand(8, requires_grad=True)
reading = Reading(lamp * 4.0)
entropy = (reading.counts * reading.counts.log()).sum()  # saved
other = replace(reading, channel=1, floor=0.2)
(entropy + other.counts.sum()).backward()
