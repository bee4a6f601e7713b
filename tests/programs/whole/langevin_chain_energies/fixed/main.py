"""An energy model of rock grain sizes, trained with short Langevin chains."""
import torch
from torch import nn

from sampler import Chain


class Energy(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.SiLU(), nn.Linear(width, 1))
        self.pull = nn.Parameter(torch.tensor(0.3))

    def forward(self, x):
        return self.net(x).squeeze(-1) + self.pull * x.square().sum(dim=-1)


def grains(count):
    size = torch.randn(count, 1).mul_(0.3).exp_()
    return size.clamp_(max=3.0)


def main():
    torch.manual_seed(0)
    energy = Energy()
    optimizer = torch.optim.Adam(energy.parameters(), lr=1e-2)
    for _ in range(2):
        chain = Chain(torch.randn(5, 1))
        seen = chain.run(energy, steps=3)
        contrast = energy(grains(5)).mean() - energy(chain.place.detach().clone()).mean()
        loss = contrast + 0.01 * torch.stack(seen).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


main()
