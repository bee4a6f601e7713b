import torch
from torch import nn


class Hyper(nn.Module):
    """Makes the mixing matrices of a small net from a style vector."""

    def __init__(self, style, width, layers):
        super().__init__()
        self.make = nn.Linear(style, layers * width * width)
        self.shape = (layers, width, width)

    def forward(self, style):
        kernels = self.make(style).view(self.shape).unbind(0)
        return [kernel.t() for kernel in kernels]


def paint(kernels, x):
    for kernel in kernels:
        x = torch.tanh(x @ kernel)
    return x


torch.manual_seed(0)
hyper = Hyper(style=2, width=3, layers=2)
kernels = hyper(torch.randn(2))
paint(kernels, torch.randn(4, 3)).square().mean().backward()
