"""What all distributions do: samples without a graph, and copies of another batch shape."""

import copy

import torch
from gradguard import known


class Distribution:
    has_rsample = False
    has_enumerate_support = False
    _parameters = ()
    """the names of the tensors whose first dimensions are the batch's"""

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        super().__init__()

    @staticmethod
    def set_default_validate_args(value):
        pass

    @property
    def batch_shape(self):
        return self._batch_shape

    @property
    def event_shape(self):
        return self._event_shape

    @property
    def stddev(self):
        return self.variance.sqrt()

    def expand(self, batch_shape, _instance=None):
        new = copy.copy(self)
        new._batch_shape = torch.Size(batch_shape)
        if known(self._batch_shape):
            for name in self._parameters:
                parameter = getattr(self, name)
                of_event = parameter.shape[len(self._batch_shape) :]
                setattr(new, name, parameter.expand((*batch_shape, *of_event)))
        return new

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        raise NotImplementedError

    def sample_n(self, n):
        return self.sample(torch.Size((n,)))

    def log_prob(self, value):
        raise NotImplementedError

    def entropy(self):
        raise NotImplementedError

    def perplexity(self):
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape=()):
        return torch.Size(sample_shape) + self._batch_shape + self._event_shape


class ExponentialFamily(Distribution):
    pass
