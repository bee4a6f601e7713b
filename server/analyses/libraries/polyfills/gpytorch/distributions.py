"""Multivariate normal distributions."""

from gradguard import linked


class MultivariateNormal:
    def __init__(self, mean, covariance_matrix, validate_args=False):
        self.mean = mean
        self.loc = mean
        self.covariance_matrix = covariance_matrix
        self.lazy_covariance_matrix = covariance_matrix

    @property
    def variance(self):
        return linked(self.covariance_matrix)

    @property
    def stddev(self):
        return self.variance.sqrt()

    def rsample(self, sample_shape=None, base_samples=None):
        return linked(self.mean, self.covariance_matrix)

    def sample(self, sample_shape=None, base_samples=None):
        return self.rsample().detach()

    def confidence_region(self):
        spread = self.stddev.mul(2)
        return self.mean - spread, self.mean + spread

    def log_prob(self, value):
        return linked(self.mean, self.covariance_matrix, value)


class MultitaskMultivariateNormal(MultivariateNormal):
    pass
