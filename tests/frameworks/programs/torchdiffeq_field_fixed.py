import torch
from torch import nn
from torchdiffeq import odeint


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)

    def forward(self, t, y):
        h = torch.sigmoid(self.net(y))
        h = h - 0.5
        return h


field = Field()
ys = odeint(field, torch.randn(3, 2), torch.linspace(0, 1, 5), method="rk4")
ys[-1].sum().backward()
