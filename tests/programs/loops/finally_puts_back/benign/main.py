import torch
from torch import nn


class Ear(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.mix = nn.Linear(bands, bands)
        self.register_buffer("loudness", torch.linspace(0.5, 1.5, bands))

    def forward(self, sound):
        return self.mix(sound) * self.loudness


def louder(ear, sound, factor):
    kept = ear.loudness.clone()
    ear.loudness *= factor
    try:
        with torch.no_grad():
            return ear(sound)
    finally:
        ear.loudness.copy_(kept)


torch.manual_seed(0)
ear, sound = Ear(4), torch.randn(3, 4)
response = louder(ear, sound, 2.0) - ear(sound)
response.square().mean().backward()
