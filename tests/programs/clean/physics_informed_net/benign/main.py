"""Heat along a rod: the residual of the equation is the loss."""
import math

import torch
from torch import nn


def derivative(y, x, order=1):
    for _ in range(order):
        (y,) = torch.autograd.grad(y, x, grad_outputs=torch.ones_like(y), create_graph=True)
    return y


class Rod(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        self.diffusion = nn.Parameter(torch.tensor(0.3))
        for layer in self.net:
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                layer.bias.data.zero_()

    def forward(self, place, time):
        return self.net(torch.stack([place, time], dim=-1)).squeeze(-1)

    def residual(self, place, time):
        heat = self(place, time)
        return derivative(heat, time) - self.diffusion * derivative(heat, place, order=2)


torch.manual_seed(0)
rod = Rod()
place, time = torch.rand(10), torch.rand(10)
place *= math.pi
place.requires_grad_()
time.requires_grad_()
start = torch.linspace(0, math.pi, 6)


def loss():
    inside = rod.residual(place, time).square().mean()
    at_start = (rod(start, torch.zeros_like(start)) - torch.sin(start)).square().mean()
    return inside + at_start


adam = torch.optim.Adam(rod.parameters(), lr=1e-3)
for _ in range(2):
    adam.zero_grad()
    value = loss()
    value.backward()
    adam.step()

lbfgs = torch.optim.LBFGS(rod.parameters(), max_iter=3, history_size=3)


def closure():
    lbfgs.zero_grad()
    value = loss()
    value.backward()
    return value


for _ in range(2):
    lbfgs.step(closure)
with torch.no_grad():
    rod.diffusion.clamp_(min=0.0)
print(rod.diffusion.item())
