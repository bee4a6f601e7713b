"""Gamma distributions, and what is made of them or sampled as they are: Student's, Fisher's, Dirichlet's."""

import math

import torch
from gradguard import linked
from torch.distributions.distribution import Distribution, ExponentialFamily
from torch.distributions.utils import broadcast_all


def sampled(concentration):
    """What `torch._standard_gamma` and `_Dirichlet` make: they save the parameter and the sample."""
    return linked(concentration, saves=[concentration], saves_result=True, like=concentration)


class Gamma(ExponentialFamily):
    has_rsample = True
    _parameters = ("concentration", "rate")

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size())

    @property
    def mean(self):
        return self.concentration / self.rate

    @property
    def mode(self):
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self):
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        value = sampled(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=torch.finfo(value.dtype).tiny)
        return value

    def log_prob(self, value):
        value = torch.as_tensor(value, dtype=self.rate.dtype)
        powers = torch.xlogy(self.concentration, self.rate) + torch.xlogy(self.concentration - 1, value)
        return powers - self.rate * value - torch.lgamma(self.concentration)

    def entropy(self):
        slope = (1.0 - self.concentration) * torch.digamma(self.concentration)
        return self.concentration - torch.log(self.rate) + torch.lgamma(self.concentration) + slope

    def _kl(self, q):
        shape, other = self.concentration, q.concentration
        slope = (shape - other) * torch.digamma(shape) + (q.rate - self.rate) * (shape / self.rate)
        return other * (self.rate / q.rate).log() + torch.lgamma(other) - torch.lgamma(shape) + slope


class Chi2(Gamma):
    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5)

    @property
    def df(self):
        return self.concentration * 2


class StudentT(Distribution):
    has_rsample = True
    _parameters = ("df", "loc", "scale")

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size())

    @property
    def mode(self):
        return self.loc

    def rsample(self, sample_shape=()):
        noise = torch.randn(self._extended_shape(sample_shape), dtype=self.df.dtype)
        return self.loc + self.scale * (noise * torch.rsqrt(self._chi2.rsample(sample_shape) / self.df))

    def log_prob(self, value):
        y = (value - self.loc) / self.scale
        gammas = torch.lgamma(0.5 * self.df) - torch.lgamma(0.5 * (self.df + 1.0))
        z = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + gammas
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - z

    def entropy(self):
        half = 0.5 * (self.df + 1)
        beta = torch.lgamma(0.5 * self.df) + math.lgamma(0.5) - torch.lgamma(half)
        slope = half * (torch.digamma(half) - torch.digamma(0.5 * self.df))
        return self.scale.log() + slope + 0.5 * self.df.log() + beta


class FisherSnedecor(Distribution):
    has_rsample = True
    _parameters = ("df1", "df2")

    def __init__(self, df1, df2, validate_args=None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1, self._gamma2 = Gamma(self.df1 * 0.5, self.df1), Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.size())

    def rsample(self, sample_shape=()):
        x1, x2 = self._gamma1.rsample(sample_shape), self._gamma2.rsample(sample_shape)
        tiny = torch.finfo(x2.dtype).tiny
        x2.clamp_(min=tiny)
        y = x1 / x2
        y.clamp_(min=tiny)
        return y

    def log_prob(self, value):
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        gammas = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        powers = half1 * ratio.log() + (half1 - 1) * torch.log(value)
        return gammas + powers - (half1 + half2) * torch.log1p(ratio * value)


class Dirichlet(ExponentialFamily):
    has_rsample = True
    _parameters = ("concentration",)

    def __init__(self, concentration, validate_args=None):
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape=()):
        return sampled(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        powers = torch.xlogy(self.concentration - 1.0, value).sum(-1)
        return powers + torch.lgamma(self.concentration.sum(-1)) - torch.lgamma(self.concentration).sum(-1)

    def entropy(self):
        k, total = self.concentration.size(-1), self.concentration.sum(-1)
        gammas = torch.lgamma(self.concentration).sum(-1) - torch.lgamma(total)
        slopes = ((self.concentration - 1.0) * torch.digamma(self.concentration)).sum(-1)
        return gammas - (k - total) * torch.digamma(total) - slopes

    def _kl(self, q):
        shape, other = self.concentration, q.concentration
        total, slopes = shape.sum(-1), shape.digamma()
        gammas = total.lgamma() - other.sum(-1).lgamma() - (shape.lgamma() - other.lgamma()).sum(-1)
        return gammas + ((shape - other) * (slopes - total.digamma().unsqueeze(-1))).sum(-1)


class Beta(ExponentialFamily):
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self._dirichlet = Dirichlet(torch.stack(broadcast_all(concentration1, concentration0), -1))
        super().__init__(self._dirichlet.batch_shape)

    @property
    def concentration1(self):
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self):
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self):
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        return new

    def rsample(self, sample_shape=()):
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet.entropy()

    def _kl(self, q):
        return self._dirichlet._kl(q._dirichlet)
