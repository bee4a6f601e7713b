import torch
from torch import nn


class Calibrated(nn.Module):
    """A sensor model whose gain is set from outside."""

    def __init__(self, channels):
        super().__init__()
        self.mix = nn.Linear(channels, channels)
        self._gain = torch.ones(channels)
        self.offset = torch.zeros(channels)

    @property
    def gain(self):
        return self._gain

    @gain.setter
    def gain(self, value):
        self._gain.copy_(value)  # changed

    def forward(self, counts):
        return self.mix(counts) * self.gain + self.offset  # saved


torch.manual_seed(0)
sensor = Calibrated(3)
for drift in (0.9, 1.1):
    reading = sensor(torch.rand(4, 3))
    sensor.gain = drift * torch.ones(3)
    reading.square().mean().backward()
