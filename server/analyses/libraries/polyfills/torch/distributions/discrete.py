"""Families of counts and choices, as `bernoulli.py`, `categorical.py`, `poisson.py` and their kin compute them."""

import torch
import torch.nn.functional as F
from gradguard import known
from torch.distributions.distribution import Distribution, ExponentialFamily
from torch.distributions.utils import broadcast_all, logits_to_probs, probs_to_logits


class _OfLogits(ExponentialFamily):
    """A family that is given probabilities or logits; the others are computed with a graph when they are asked for."""

    _is_binary = True

    def _set(self, probs, logits):
        self._probs = self._logits = None
        if known(logits) and logits is None:
            self._probs = probs
        else:
            self._logits = logits

    @property
    def _param(self):
        return self._logits if self._probs is None else self._probs

    @property
    def _parameters(self):
        return [name for name in ("_probs", "_logits") if getattr(self, name) is not None]

    @property
    def logits(self):
        if self._logits is None:
            with torch.enable_grad():
                self._logits = probs_to_logits(self._probs, self._is_binary)
        return self._logits

    @property
    def probs(self):
        if self._probs is None:
            with torch.enable_grad():
                self._probs = logits_to_probs(self._logits, self._is_binary)
        return self._probs

    @property
    def param_shape(self):
        return self._param.size()


def _broadcast(value):
    return None if known(value) and value is None else broadcast_all(value)[0]


class _Binary(_OfLogits):
    """A family of trials that succeed or fail."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._set(_broadcast(probs), _broadcast(logits))
        super().__init__(self._param.size())


class Bernoulli(_Binary):
    has_enumerate_support = True

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        return (self.probs >= 0.5).to(self.probs)

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def _kl(self, q):
        heads = self.probs * (F.softplus(-q.logits) - F.softplus(-self.logits))
        return heads + (1 - self.probs) * (F.softplus(q.logits) - F.softplus(self.logits))


class Geometric(_Binary):
    @property
    def mean(self):
        return 1.0 / self.probs - 1.0

    @property
    def variance(self):
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape=()):
        with torch.no_grad():
            noise = torch.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype)
            return (noise.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class _OfTrials(_OfLogits):
    """A family that counts trials or failures besides."""

    def _set_with(self, total_count, probs, logits):
        given = probs if known(logits) and logits is None else logits
        self.total_count, given = broadcast_all(total_count, given)
        self._set(*((given, None) if known(logits) and logits is None else (None, given)))


class Binomial(_OfTrials):
    has_enumerate_support = True

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        self._set_with(total_count, probs, logits)
        super().__init__(self._param.size())

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        logits, n = self.logits, self.total_count
        choices = torch.lgamma(value + 1), torch.lgamma(n - value + 1)
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        norm = n * positive + n * torch.log1p(torch.exp(-torch.abs(logits))) - torch.lgamma(n + 1)
        return value * logits - choices[0] - choices[1] - norm


class NegativeBinomial(_OfTrials):
    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        self._set_with(total_count, probs, logits)
        super().__init__(self._param.size())

    @property
    def mean(self):
        return self.total_count * torch.exp(self.logits)

    @property
    def variance(self):
        return self.mean / torch.sigmoid(-self.logits)

    def sample(self, sample_shape=()):
        from torch.distributions.gamma import Gamma

        with torch.no_grad():
            return torch.poisson(Gamma(self.total_count, torch.exp(-self.logits)).sample(sample_shape))

    def log_prob(self, value):
        n = self.total_count
        powers = n * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        norm = -torch.lgamma(n + value) + torch.lgamma(1.0 + value) + torch.lgamma(n)
        return powers - norm.masked_fill(n + value == 0.0, 0.0)


class Poisson(ExponentialFamily):
    _parameters = ("rate",)

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.size())

    @property
    def mean(self):
        return self.rate

    @property
    def mode(self):
        return self.rate.floor()

    @property
    def variance(self):
        return self.rate

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return torch.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    def _kl(self, q):
        return self.rate * (self.rate.log() - q.rate.log()) - (self.rate - q.rate)


class Categorical(_OfLogits):
    has_enumerate_support = True
    _is_binary = False

    def __init__(self, probs=None, logits=None, validate_args=None):
        if known(logits) and logits is None:
            self._set(probs / probs.sum(-1, keepdim=True), None)
        else:
            self._set(None, logits - logits.logsumexp(dim=-1, keepdim=True))
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1])

    @property
    def mode(self):
        return self.probs.argmax(dim=-1)

    def sample(self, sample_shape=()):
        flat = self.probs.reshape(-1, self._num_events)
        drawn = torch.multinomial(flat, torch.Size(sample_shape).numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        value, log_pmf = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        logits = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        values = torch.arange(self._num_events).view((-1, *(1,) * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _kl(self, q):
        return (self.probs * (self.logits - q.logits)).sum(-1)


class _OfCategorical(Distribution):
    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:])

    @property
    def probs(self):
        return self._categorical.probs

    @property
    def logits(self):
        return self._categorical.logits

    @property
    def param_shape(self):
        return self._categorical.param_shape

    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new._categorical = self._categorical.expand(batch_shape)
        return new


class OneHotCategorical(_OfCategorical):
    has_enumerate_support = True

    @property
    def mean(self):
        return self.probs

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        probs = self.probs
        return F.one_hot(self._categorical.sample(sample_shape), self._categorical._num_events).to(probs)

    def log_prob(self, value):
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def _kl(self, q):
        return self._categorical._kl(q._categorical)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    has_rsample = True

    def rsample(self, sample_shape=()):
        samples, probs = self.sample(sample_shape), self.probs
        return samples + (probs - probs.detach())


class Multinomial(_OfCategorical):
    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        self.total_count = total_count
        super().__init__(probs, logits)

    @property
    def mean(self):
        return self.probs * self.total_count

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        return F.one_hot(drawn, self._categorical._num_events).sum(0).type_as(self.probs)

    def log_prob(self, value):
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone()
        choices = torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1)
        logits[(value == 0) & (logits == -float("inf"))] = 0
        return choices + (logits * value).sum(-1)
