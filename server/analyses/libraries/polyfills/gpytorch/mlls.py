"""Marginal log likelihoods: what models are trained to maximize."""

from gradguard import linked
from torch import nn


class MarginalLogLikelihood(nn.Module):
    def __init__(self, likelihood, model, *args, **kwargs):
        super().__init__()
        self.likelihood = likelihood
        self.model = model


class ExactMarginalLogLikelihood(MarginalLogLikelihood):
    def forward(self, function_dist, target, *params, **kwargs):
        return self.likelihood(function_dist).log_prob(target)


class VariationalELBO(MarginalLogLikelihood):
    def forward(self, approximate_dist_f, target, *params, **kwargs):
        return linked(self.likelihood.expected_log_prob(target, approximate_dist_f), *self.model.parameters())


class PredictiveLogLikelihood(VariationalELBO):
    pass
