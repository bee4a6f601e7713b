"""Distributions: what a density, a sample with a graph or an entropy saves of the parameters.

Each kin of families is read when the program first asks for one of it.
"""

from importlib import import_module

HOMES = {
    "composed": (
        "Gumbel",
        "HalfCauchy",
        "HalfNormal",
        "Independent",
        "InverseGamma",
        "Kumaraswamy",
        "LogNormal",
        "LogisticNormal",
        "MixtureSameFamily",
        "Pareto",
        "TransformedDistribution",
        "Weibull",
    ),
    "discrete": (
        "Bernoulli",
        "Binomial",
        "Categorical",
        "Geometric",
        "Multinomial",
        "NegativeBinomial",
        "OneHotCategorical",
        "OneHotCategoricalStraightThrough",
        "Poisson",
    ),
    "distribution": ("Distribution", "ExponentialFamily"),
    "kl": ("kl_divergence", "register_kl"),
    "location_scale": ("Cauchy", "Exponential", "Laplace", "Normal", "Uniform"),
    "multivariate": (
        "ContinuousBernoulli",
        "GeneralizedPareto",
        "LKJCholesky",
        "LowRankMultivariateNormal",
        "MultivariateNormal",
        "VonMises",
        "Wishart",
    ),
    "gamma": ("Beta", "Chi2", "Dirichlet", "FisherSnedecor", "Gamma", "StudentT"),
    "relaxed": ("ExpRelaxedCategorical", "LogitRelaxedBernoulli", "RelaxedBernoulli", "RelaxedOneHotCategorical"),
    "transforms": (
        "AbsTransform",
        "AffineTransform",
        "CatTransform",
        "ComposeTransform",
        "CorrCholeskyTransform",
        "CumulativeDistributionTransform",
        "ExpTransform",
        "IndependentTransform",
        "LowerCholeskyTransform",
        "PositiveDefiniteTransform",
        "PowerTransform",
        "ReshapeTransform",
        "SigmoidTransform",
        "SoftmaxTransform",
        "SoftplusTransform",
        "StackTransform",
        "StickBreakingTransform",
        "TanhTransform",
        "Transform",
        "identity_transform",
    ),
}
__all__ = [name for names in HOMES.values() for name in names]


def __getattr__(name):
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"torch.distributions.{home}"), name)
    raise AttributeError(name)
