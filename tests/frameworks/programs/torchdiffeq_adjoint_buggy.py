import torch
from torch import nn
from torchdiffeq import odeint_adjoint as odeint


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))

    def forward(self, t, y):
        return self.net(y)


field = Field()
opt = torch.optim.Adam(field.parameters())
for _ in range(2):
    ys = odeint(field, torch.randn(3, 2), torch.linspace(0, 1, 5))
    ys[0] = 0.0  # here
    loss = ys.square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
