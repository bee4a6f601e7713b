"""Tide heights from moon phases; every step is also judged with the averaged weights."""

import torch
from torch import nn


class Average:
    def __init__(self, model):
        self.model = model
        self.kept = [p.detach().clone() for p in model.parameters()]

    def update(self):
        for kept, p in zip(self.kept, self.model.parameters(), strict=True):
            kept.lerp_(p.detach(), 0.5)

    def lend(self):
        self.own = [p.data.clone() for p in self.model.parameters()]
        for kept, p in zip(self.kept, self.model.parameters(), strict=True):
            p.data.copy_(kept)

    def take_back(self):
        for own, p in zip(self.own, self.model.parameters(), strict=True):
            p.data.copy_(own)


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    average = Average(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        phase = torch.rand(6, 1) * 6.28
        moon = torch.cat([phase.sin(), phase.cos()], 1)
        loss = (model(moon) - phase.cos()).square().mean()
        average.lend()
        with torch.no_grad():
            print(step, loss.item(), (model(moon) - phase.cos()).square().mean().item())
        average.take_back()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update()


main()
