"""A parameter is drawn anew in place by the constructor, where a flag asks for it."""

import torch
from torch import nn


class Encoding(nn.Module):
    def __init__(self, width: int, uniform: bool = False):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(width))
        if uniform:
            self.bias.uniform_(-2.0, 0.0)


Encoding(4, uniform=True)
