"""torchmetrics 1.x: a metric is updated under `no_grad`, except by a call, which returns the value of one batch."""

import copy

import torch
from gradguard import data, known, linked, unknown
from torch import nn


class Metric(nn.Module):
    __entries__ = ("update", "compute")

    full_state_update = None

    def __init__(self, **kwargs):
        super().__init__()
        self._defaults = {}
        self._enable_grad = False
        self._computed = None
        update, compute = self.update, self.compute

        def updated(*args, **kwargs):
            self._computed = None
            with torch.set_grad_enabled(self._enable_grad):
                update(*args, **kwargs)

        def computed(*args, **kwargs):
            if self._computed is None:
                self._computed = compute(*args, **kwargs)
            return self._computed

        self.update, self.compute = updated, computed

    def __train__(self, names):
        """Do what a loop that evaluates does: how the metric is used if the program doesn't show it."""
        with torch.no_grad():
            if "update" in names:
                self.update(data("preds"), data("target"))
            if "compute" in names:
                self.compute()

    def add_state(self, name, default, dist_reduce_fx=None, persistent=False):
        self._defaults[name] = default
        setattr(self, name, copy.copy(default) if isinstance(default, list) else default.clone())

    def reset(self):
        self._computed = None
        for name, default in self._defaults.items():
            setattr(self, name, [] if isinstance(default, list) else default.detach().clone())

    def forward(self, *args, **kwargs):
        """Return the value of this batch, with a graph; the state that all batches add to has none."""
        before = {name: getattr(self, name) for name in self._defaults}
        self.reset()
        self._enable_grad = True
        self.update(*args, **kwargs)
        value = self.compute()
        self._enable_grad = False
        self._computed = None
        with torch.no_grad():
            for name, was in before.items():
                now = getattr(self, name)
                setattr(self, name, was + now if known(now) and known(was) else was)
        return value

    def update(self, *args, **kwargs):
        self._given = (*args, *kwargs.values())

    def compute(self):
        return linked(*self._given)

    def clone(self, prefix=None, postfix=None):
        return copy.deepcopy(self)


class AnyMetric(Metric):
    """Any metric of the library."""

    def __init__(self, *args, **kwargs):
        super().__init__()


class MetricCollection(nn.Module):
    def __init__(self, metrics, *additional, **kwargs):
        super().__init__()
        given = metrics.values() if isinstance(metrics, dict) else metrics if isinstance(metrics, (list, tuple)) else ()
        self.metrics = nn.ModuleList(list(given))

    def update(self, *args, **kwargs):
        for one in self.metrics:
            one.update(*args, **kwargs)

    def forward(self, *args, **kwargs):
        for one in self.metrics:
            one(*args, **kwargs)
        return unknown("values of metrics")

    def compute(self):
        return unknown("values of metrics")

    def reset(self):
        for one in self.metrics:
            one.reset()

    def clone(self, prefix=None, postfix=None):
        return self


def __getattr__(name):
    if name[0].isupper():
        return AnyMetric
    raise AttributeError(name)
