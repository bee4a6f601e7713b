"""Mean functions of Gaussian processes."""

import torch
from gradguard import linked
from torch import nn


class Mean(nn.Module):
    def __call__(self, x):
        return self.forward(x)


class ZeroMean(Mean):
    def forward(self, input):
        return torch.zeros(input.shape[:-1])


class ConstantMean(Mean):
    def __init__(self, constant_prior=None, constant_constraint=None, batch_shape=None, **kwargs):
        super().__init__()
        self.raw_constant = nn.Parameter(torch.zeros(()))

    def forward(self, input):
        return linked(self.raw_constant)


class LinearMean(Mean):
    def __init__(self, input_size, batch_shape=None, bias=True):
        super().__init__()
        self.weights = nn.Parameter(torch.randn(input_size, 1))
        self.bias = nn.Parameter(torch.randn(1)) if bias else None

    def forward(self, x):
        return linked(x, self.weights, self.bias, saves=[x, self.weights])
