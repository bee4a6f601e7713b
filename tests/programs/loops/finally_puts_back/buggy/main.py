import torch
from torch import nn


class Ear(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.mix = nn.Linear(bands, bands)
        self.register_buffer("loudness", torch.linspace(0.5, 1.5, bands))

    def forward(self, sound):
        return self.mix(sound) * self.loudness  # saved


def louder(ear, sound, factor):
    kept = ear.loudness.clone()
    ear.loudness *= factor
    try:
        return ear(sound)
    finally:
        ear.loudness.copy_(kept)  # changed


torch.manual_seed(0)
ear, sound = Ear(4), torch.randn(3, 4)
response = louder(ear, sound, 2.0) - ear(sound)
response.square().mean().backward()
