import math

import torch
from torch import nn


class Rotary(nn.Module):
    """Turns halves of the channels by a learned angle."""

    def __init__(self, width):
        super().__init__()
        self.lift = nn.Linear(2, 2 * width)
        self.width = width

    def halves(self, x):
        x = self.lift(x)
        return x.split(self.width, dim=-1)

    def forward(self, x, angle=math.pi / 6):
        a, b = self.halves(x)
        turned = a * math.cos(angle) - b * math.sin(angle)
        a, b = (part * factor for part, factor in zip((a, b), (0.5, 2.0)))
        return turned + a + b


torch.manual_seed(0)
Rotary(3)(torch.randn(4, 2)).sum().backward()
