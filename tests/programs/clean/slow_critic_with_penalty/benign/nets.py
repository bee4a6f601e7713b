import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.LeakyReLU(0.1, True), nn.Linear(width, 1))

    @torch.no_grad()
    def tighten(self, bound):
        for p in self.parameters():
            p.clamp_(-bound, bound)

    def forward(self, x):
        return self.net(x).squeeze(-1)


class Generator(nn.Module):
    def __init__(self, code=2, width=8):
        super().__init__()
        self.code = code
        self.net = nn.Sequential(nn.Linear(code, width), nn.ReLU(True), nn.Linear(width, 2))

    def sample(self, count):
        noise = torch.empty(count, self.code).normal_()
        return self.net(noise)
