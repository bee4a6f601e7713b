"""Likelihoods: the distribution of what is observed, given that of the function."""

import torch
from gpytorch.distributions import MultivariateNormal
from gradguard import linked
from torch import nn


class Likelihood(nn.Module):
    def __call__(self, input, *args, **kwargs):
        return self.marginal(input)

    def marginal(self, function_dist):
        return function_dist

    def expected_log_prob(self, target, function_dist):
        return linked(function_dist.mean, function_dist.covariance_matrix, target, *self.parameters())


class GaussianLikelihood(Likelihood):
    def __init__(self, noise_prior=None, noise_constraint=None, batch_shape=None, **kwargs):
        super().__init__()
        self.raw_noise = nn.Parameter(torch.zeros(1))

    @property
    def noise(self):
        return nn.functional.softplus(self.raw_noise)

    def marginal(self, function_dist):
        return MultivariateNormal(function_dist.mean, linked(function_dist.covariance_matrix, self.raw_noise))


class MultitaskGaussianLikelihood(GaussianLikelihood):
    pass


class FixedNoiseGaussianLikelihood(GaussianLikelihood):
    pass


class BernoulliLikelihood(Likelihood):
    pass
