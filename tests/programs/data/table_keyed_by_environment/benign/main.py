"""A sluice: how far its gate is open follows from three water levels."""
import os

import torch
from torch import nn


def bounded(x):
    return x.clamp(0, 1)


SHAPES = {"ramp": bounded, "curve": torch.sigmoid, "bend": nn.functional.softsign}


class Sluice(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.levels = nn.Linear(3, 4)
        self.gate = nn.Linear(4, 1)
        self.shape = SHAPES[shape]

    def forward(self, water):
        opening = self.shape(self.gate(self.levels(water))) * 0.98
        leak = 0.01 * torch.rand_like(opening)
        opening += leak
        return opening.squeeze(-1)


torch.manual_seed(0)
sluice = Sluice(os.environ.get("SLUICE_SHAPE", "curve"))
optimizer = torch.optim.SGD(sluice.parameters(), lr=0.1)
for _ in range(3):
    water = torch.rand(6, 3)
    loss = nn.functional.mse_loss(sluice(water), water.mean(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
