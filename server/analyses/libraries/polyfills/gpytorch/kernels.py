"""Kernels: the covariance of two inputs, which are saved for backward."""

import torch
from gradguard import linked
from torch import nn


class Kernel(nn.Module):
    has_lengthscale = False

    def __init__(self, ard_num_dims=None, batch_shape=None, active_dims=None, **kwargs):
        super().__init__()
        self.ard_num_dims = ard_num_dims
        if self.has_lengthscale:
            self.raw_lengthscale = nn.Parameter(torch.zeros(1, ard_num_dims or 1))

    @property
    def lengthscale(self):
        return nn.functional.softplus(self.raw_lengthscale)

    def __call__(self, x1, x2=None, diag=False, **params):
        return self.forward(x1, x1 if x2 is None else x2, **params)

    def forward(self, x1, x2, diag=False, **params):
        return linked(x1, x2, *self.parameters(), saves=[x1, x2])

    def __add__(self, other):
        return Pair(self, other)

    def __mul__(self, other):
        return Pair(self, other)


class Pair(Kernel):
    def __init__(self, first, second):
        super().__init__()
        self.first = first
        self.second = second

    def forward(self, x1, x2, **params):
        return linked(self.first(x1, x2), self.second(x1, x2))


class ScaleKernel(Kernel):
    def __init__(self, base_kernel, outputscale_prior=None, outputscale_constraint=None, **kwargs):
        super().__init__()
        self.base_kernel = base_kernel
        self.raw_outputscale = nn.Parameter(torch.zeros(()))

    @property
    def outputscale(self):
        return nn.functional.softplus(self.raw_outputscale)

    def forward(self, x1, x2, **params):
        return linked(self.base_kernel(x1, x2), self.raw_outputscale)


class RBFKernel(Kernel):
    has_lengthscale = True


class MaternKernel(Kernel):
    has_lengthscale = True


class RQKernel(Kernel):
    has_lengthscale = True


class PeriodicKernel(Kernel):
    has_lengthscale = True


class CosineKernel(Kernel):
    has_lengthscale = True


class LinearKernel(Kernel):
    has_lengthscale = True


class SpectralMixtureKernel(Kernel):
    has_lengthscale = True


class MultitaskKernel(ScaleKernel):
    pass


class GridInterpolationKernel(ScaleKernel):
    pass


class InducingPointKernel(ScaleKernel):
    pass


class AdditiveStructureKernel(ScaleKernel):
    pass
