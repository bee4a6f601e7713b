import torch
from torch import nn

SPEC = {"name": "LeakyReLU", "options": {"negative_slope": 0.2, "inplace": False}}


def activation(name, options):
    return getattr(nn, name)(**options)


class Block(nn.Module):
    def __init__(self, width, spec):
        super().__init__()
        self.enter = nn.Linear(2, width)
        self.norm = nn.LayerNorm(width)
        self.act = activation(**spec)

    def forward(self, x):
        x = self.enter(x)
        normed = self.norm(x)
        return normed + self.act(x)


torch.manual_seed(0)
Block(4, SPEC)(torch.randn(3, 2)).square().sum().backward()
