"""Families of vectors and matrices; what PyTorch computes of them in many steps has a graph, and saves nothing here."""

import math

import torch
from gradguard import known, linked
from torch.distributions.distribution import Distribution, ExponentialFamily
from torch.distributions.utils import broadcast_all


class MultivariateNormal(Distribution):
    """The first parameter that is given is the one that the triangular factor is made of."""

    has_rsample = True
    _parameters = ("loc",)

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if not known(scale_tril) or scale_tril is not None:
            self._unbroadcasted_scale_tril = given = scale_tril
        elif not known(covariance_matrix) or covariance_matrix is not None:
            self._unbroadcasted_scale_tril, given = torch.linalg.cholesky(covariance_matrix), covariance_matrix
        else:
            flipped = torch.linalg.cholesky(torch.flip(precision_matrix, (-2, -1)))
            inverse = torch.transpose(torch.flip(flipped, (-2, -1)), -2, -1)
            unit = torch.eye(precision_matrix.shape[-1], dtype=precision_matrix.dtype)
            given = precision_matrix
            self._unbroadcasted_scale_tril = torch.linalg.solve_triangular(inverse, unit, upper=False)
        batch_shape = torch.broadcast_shapes(given.shape[:-2], loc.shape[:-1])
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:])

    @property
    def scale_tril(self):
        return self._expanded(self._unbroadcasted_scale_tril)

    @property
    def covariance_matrix(self):
        return self._expanded(torch.matmul(self._unbroadcasted_scale_tril, self._unbroadcasted_scale_tril.mT))

    @property
    def precision_matrix(self):
        return self._expanded(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    def _expanded(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape=()):
        noise = torch.randn(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + torch.matmul(self._unbroadcasted_scale_tril, noise.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value):
        diff = (value - self.loc).unsqueeze(-1)
        solved = torch.linalg.solve_triangular(self._unbroadcasted_scale_tril, diff, upper=False)
        distance = solved.squeeze(-1).pow(2).sum(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - self._half_log_det()

    def entropy(self):
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return entropy.expand(self._batch_shape)

    def _half_log_det(self):
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def _kl(self, q):
        one, other = self._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
        solved = torch.linalg.solve_triangular(other, one, upper=False)
        moved = torch.linalg.solve_triangular(other, (q.loc - self.loc).unsqueeze(-1), upper=False)
        squares = solved.pow(2).sum((-2, -1)) + moved.squeeze(-1).pow(2).sum(-1)
        return q._half_log_det() - self._half_log_det() + 0.5 * (squares - self.event_shape[0])


class _Unfollowed(Distribution):
    """A family whose results have a graph that leads to its parameters, and saves none of them."""

    has_rsample = True

    def _given(self):
        return [getattr(self, name) for name in self._parameters]

    @property
    def mean(self):
        return linked(*self._given())

    @property
    def variance(self):
        return linked(*self._given())

    def rsample(self, sample_shape=()):
        return linked(*self._given(), like=torch.empty(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        return linked(*self._given(), value)

    def entropy(self):
        return linked(*self._given())

    def cdf(self, value):
        return linked(*self._given(), value)

    def icdf(self, value):
        return linked(*self._given(), value)


class LowRankMultivariateNormal(_Unfollowed):
    _parameters = ("loc", "cov_factor", "cov_diag")

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        self.loc, self.cov_factor, self.cov_diag = loc, cov_factor, cov_diag
        super().__init__(loc.shape[:-1], loc.shape[-1:])

    @property
    def mean(self):
        return self.loc


class Wishart(_Unfollowed, ExponentialFamily):
    _parameters = ("df", "_matrix")

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        given = [one for one in (covariance_matrix, precision_matrix, scale_tril) if not known(one) or one is not None]
        self.df, self._matrix = df, given[0]
        super().__init__(self._matrix.shape[:-2], self._matrix.shape[-2:])


class LKJCholesky(_Unfollowed):
    has_rsample = False
    _parameters = ("concentration",)

    def __init__(self, dim, concentration=1.0, validate_args=None):
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        super().__init__(self.concentration.size(), torch.Size((dim, dim)))


class VonMises(_Unfollowed):
    has_rsample = False
    _parameters = ("loc", "concentration")

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape)

    @property
    def mean(self):
        return self.loc


class GeneralizedPareto(_Unfollowed):
    _parameters = ("loc", "scale", "concentration")

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size())


class ContinuousBernoulli(_Unfollowed, ExponentialFamily):
    _parameters = ("_param",)

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        (self._param,) = broadcast_all(probs if known(logits) and logits is None else logits)
        super().__init__(self._param.size())

    @property
    def probs(self):
        return linked(self._param)

    @property
    def logits(self):
        return linked(self._param)
