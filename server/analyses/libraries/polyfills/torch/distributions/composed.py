"""Distributions made of others: `Independent`, transformed ones, mixtures, and the families that PyTorch builds so."""

import math

import torch
from gradguard import known
from torch.distributions.distribution import Distribution
from torch.distributions.kl import kl_divergence
from torch.distributions.location_scale import Cauchy, Exponential, Normal, Uniform
from torch.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    PowerTransform,
    StickBreakingTransform,
)
from torch.distributions.utils import broadcast_all, sum_rightmost

EULER = 0.57721566490153286060


class Independent(Distribution):
    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        batch, event = base_distribution.batch_shape, base_distribution.event_shape
        if known(batch) and known(event) and known(reinterpreted_batch_ndims):
            cut = len(batch) - reinterpreted_batch_ndims
            batch, event = batch[:cut], batch[cut:] + event
        super().__init__(batch, event)

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    @property
    def mean(self):
        return self.base_dist.mean

    @property
    def mode(self):
        return self.base_dist.mode

    @property
    def variance(self):
        return self.base_dist.variance

    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        batch_shape = torch.Size(batch_shape) + self.event_shape[: self.reinterpreted_batch_ndims]
        new.base_dist = self.base_dist.expand(batch_shape)
        return new

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def _kl(self, q):
        return sum_rightmost(kl_divergence(self.base_dist, q.base_dist), self.reinterpreted_batch_ndims)


class TransformedDistribution(Distribution):
    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = list(transforms) if isinstance(transforms, (list, tuple)) else [transforms]
        transform = ComposeTransform(self.transforms)
        batch, event = base_distribution.batch_shape, base_distribution.event_shape
        if known(batch) and known(event):
            reinterpreted = transform._domain_dim - len(event)
            if reinterpreted > 0:
                base_distribution = Independent(base_distribution, reinterpreted)
            gained = transform._codomain_dim - transform._domain_dim
            shape = transform.forward_shape(batch + event)
            cut = len(shape) - max(transform._codomain_dim, len(event) + gained)
            batch, event = shape[:cut], shape[cut:]
        self.base_dist = base_distribution
        super().__init__(batch, event)

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        shape = torch.Size(batch_shape) + self.event_shape
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return new

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._transformed(self.base_dist.rsample(sample_shape))

    def _transformed(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value):
        event_dim, log_prob, y = len(self.event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform._domain_dim - transform._codomain_dim
            change = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - sum_rightmost(change, event_dim - transform._domain_dim)
            y = x
        return log_prob + sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))

    def _kl(self, q):
        return kl_divergence(self.base_dist, q.base_dist)


class MixtureSameFamily(Distribution):
    has_rsample = False

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(component_distribution.batch_shape[:-1], event_shape)

    @property
    def mixture_distribution(self):
        return self._mixture_distribution

    @property
    def component_distribution(self):
        return self._component_distribution

    @property
    def mean(self):
        shares = self.mixture_distribution.probs[(..., *(None,) * self._event_ndims)]
        return torch.sum(shares * self.component_distribution.mean, dim=-1 - self._event_ndims)

    def sample(self, sample_shape=()):
        with torch.no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            drawn = self.mixture_distribution.sample(sample_shape)
            index = drawn.reshape(drawn.shape + (1,) * (self._event_ndims + 1))
            index = index.repeat((1,) * len(drawn.shape) + (1,) + self.event_shape)
            return torch.gather(self.component_distribution.sample(sample_shape), dim, index).squeeze(dim)

    def log_prob(self, value):
        log_prob = self.component_distribution.log_prob(value.unsqueeze(-1 - self._event_ndims))
        return torch.logsumexp(log_prob + torch.log_softmax(self.mixture_distribution.logits, dim=-1), dim=-1)


class LogNormal(TransformedDistribution):
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale), ExpTransform())

    @property
    def loc(self):
        return self.base_dist.loc

    @property
    def scale(self):
        return self.base_dist.scale

    @property
    def mean(self):
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def variance(self):
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc


class _Half(TransformedDistribution):
    has_rsample = True

    def __init__(self, base_dist):
        super().__init__(base_dist, AbsTransform())

    @property
    def scale(self):
        return self.base_dist.scale

    def log_prob(self, value):
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    def __init__(self, scale, validate_args=None):
        super().__init__(Normal(0, scale))

    @property
    def mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self):
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    def __init__(self, scale, validate_args=None):
        super().__init__(Cauchy(0, scale))


class Gumbel(TransformedDistribution):
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        smallest, most = 1.1754943508222875e-38, 1 - 1.1920928955078125e-07
        base = Uniform(torch.full_like(self.loc, smallest), torch.full_like(self.loc, most))
        turned = AffineTransform(0, -torch.ones_like(self.scale))
        moved = AffineTransform(loc, -self.scale)
        super().__init__(base, [ExpTransform().inv, turned, ExpTransform().inv, moved])

    @property
    def mean(self):
        return self.loc + self.scale * EULER

    @property
    def stddev(self):
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def log_prob(self, value):
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def entropy(self):
        return self.scale.log() + (1 + EULER)


class InverseGamma(TransformedDistribution):
    has_rsample = True

    def __init__(self, concentration, rate, validate_args=None):
        from torch.distributions.gamma import Gamma

        base = Gamma(concentration, rate)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())))

    @property
    def concentration(self):
        return self.base_dist.concentration

    @property
    def rate(self):
        return self.base_dist.rate

    @property
    def mean(self):
        return torch.where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf)

    def entropy(self):
        shape = self.concentration
        return shape + self.rate.log() + shape.lgamma() - (1 + shape) * shape.digamma()


class Weibull(TransformedDistribution):
    has_rsample = True

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        powers = [PowerTransform(self.concentration_reciprocal), AffineTransform(0, self.scale)]
        super().__init__(Exponential(torch.ones_like(self.scale)), powers)

    @property
    def mean(self):
        return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))

    def entropy(self):
        share = self.concentration_reciprocal
        return EULER * (1 - share) + torch.log(self.scale * share) + 1


class Pareto(TransformedDistribution):
    has_rsample = True

    def __init__(self, scale, alpha, validate_args=None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        super().__init__(Exponential(self.alpha), [ExpTransform(), AffineTransform(0, self.scale)])

    @property
    def mean(self):
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    def entropy(self):
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Kumaraswamy(TransformedDistribution):
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(torch.full_like(self.concentration0, 0), torch.full_like(self.concentration0, 1))
        first, last = self.concentration0.reciprocal(), self.concentration1.reciprocal()
        super().__init__(base, [PowerTransform(first), AffineTransform(1.0, -1.0), PowerTransform(last)])

    def entropy(self):
        t1, t0 = 1 - self.concentration1.reciprocal(), 1 - self.concentration0.reciprocal()
        slope = t1 * (torch.digamma(self.concentration0 + 1) + EULER)
        return t0 + slope - torch.log(self.concentration1) - torch.log(self.concentration0)


class LogisticNormal(TransformedDistribution):
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale), StickBreakingTransform())

    @property
    def loc(self):
        return self.base_dist.base_dist.loc

    @property
    def scale(self):
        return self.base_dist.base_dist.scale
