"""Metrics of one domain."""

from torchmetrics import AnyMetric


def __getattr__(name):
    if name[0].isupper():
        return AnyMetric
    raise AttributeError(name)
