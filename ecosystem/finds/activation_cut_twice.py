"""A second ReLU in place cuts what a first one has saved, where a flag asks for both."""

import torch
from torch import nn


class Branched(nn.Module):
    def __init__(self, width: int, inplace: bool = False):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.cut, self.unused = nn.ReLU(inplace=inplace), nn.ReLU(inplace=inplace)

    def forward(self, x):
        mixed = self.layer(x)
        kept = self.cut(mixed)
        self.unused(mixed)
        return kept


Branched(4, inplace=True)(torch.randn(2, 4)).sum().backward()
