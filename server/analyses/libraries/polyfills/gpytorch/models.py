"""Gaussian processes: exact ones, which hold their training data, and approximate ones."""

from gpytorch.distributions import MultivariateNormal
from gradguard import linked
from torch import nn


class GP(nn.Module):
    pass


class ExactGP(GP):
    def __init__(self, train_inputs, train_targets, likelihood):
        super().__init__()
        self.train_inputs = train_inputs if isinstance(train_inputs, (tuple, list)) else (train_inputs,)
        self.train_targets = train_targets
        self.likelihood = likelihood

    def set_train_data(self, inputs=None, targets=None, strict=True):
        if inputs is not None:
            self.train_inputs = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
        if targets is not None:
            self.train_targets = targets

    def __call__(self, *args, **kwargs):
        prior = self.forward(*args, **kwargs)
        if self.training:
            return prior
        known = self.forward(*self.train_inputs, **kwargs)
        every = (prior.mean, prior.covariance_matrix, known.mean, known.covariance_matrix, self.train_targets)
        return MultivariateNormal(linked(*every), linked(*every))


class ApproximateGP(GP):
    def __init__(self, variational_strategy):
        super().__init__()
        self.variational_strategy = variational_strategy

    def __call__(self, inputs, prior=False, **kwargs):
        found = self.forward(inputs)
        every = (inputs, found.mean, found.covariance_matrix, *self.parameters())
        return MultivariateNormal(linked(*every), linked(*every))
