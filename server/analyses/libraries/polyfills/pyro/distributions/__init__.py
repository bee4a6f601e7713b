"""Distributions: samples have a graph if `rsample` can make them (`pyro/distributions/torch_distribution.py`)."""

import torch
from gradguard import linked
from torch.distributions import constraints, transforms


class Distribution:
    has_rsample = True

    def __init__(self, *args, **kwargs):
        self.given = (*args, *kwargs.values())

    def __call__(self, *args, **kwargs):
        return self.rsample() if self.has_rsample else self.sample()

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return linked(*self.given)

    def rsample(self, sample_shape=()):
        return linked(*self.given)

    def log_prob(self, value):
        return linked(*self.given, value)

    def to_event(self, reinterpreted_batch_ndims=None):
        return self

    def expand(self, batch_shape, _instance=None):
        return self

    def expand_by(self, sample_shape):
        return self

    def mask(self, mask):
        return self


class Discrete(Distribution):
    has_rsample = False


AffineBeta = Beta = Cauchy = Chi2 = ContinuousBernoulli = Delta = Dirichlet = Exponential = Distribution
FisherSnedecor = Gamma = Gumbel = HalfCauchy = HalfNormal = Independent = InverseGamma = Kumaraswamy = Distribution
LKJCholesky = Laplace = LogNormal = LogisticNormal = LowRankMultivariateNormal = MultivariateNormal = Distribution
MultivariateStudentT = Normal = Pareto = RelaxedBernoulli = RelaxedBernoulliStraightThrough = Distribution
RelaxedOneHotCategorical = StudentT = TransformedDistribution = TruncatedNormal = Uniform = VonMises = Distribution
Weibull = Distribution
Bernoulli = BetaBinomial = Binomial = Categorical = DirichletMultinomial = Empirical = GammaPoisson = Discrete
Geometric = Multinomial = NegativeBinomial = OneHotCategorical = Poisson = ZeroInflatedPoisson = Discrete
