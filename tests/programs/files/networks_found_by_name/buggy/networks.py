import torch
from torch import nn


class Head(nn.Module):
    def forward(self, x):
        return x.sigmoid()  # saved


class Squash(Head):
    def forward(self, x):
        chance = super().forward(x)
        return chance.mul_(0.98).add_(0.01)  # changed


class Plain(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 1)

    def forward(self, x):
        return self.layer(x)


class Gated(Plain):
    def forward(self, x):
        return super().forward(x) * torch.tanh(x).mean(-1, keepdim=True)
