"""GPyTorch 1.15: models, kernels and likelihoods, whose results have a graph through all that they depend on."""

from gpytorch import distributions, kernels, likelihoods, means, mlls, models
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch import nn

Module = nn.Module
