"""Wrappers of optimizers, which scale the loss, run backward and step (`mmengine/optim/optimizer`)."""

from contextlib import contextmanager

import torch
from gradguard import known
from torch import nn


class OptimWrapper:
    def __init__(self, optimizer, accumulative_counts=1, clip_grad=None):
        self.optimizer = optimizer
        self._accumulative_counts = accumulative_counts
        self.clip_grad_kwargs = clip_grad
        self._inner_count = 0

    def update_params(self, loss, step_kwargs=None, zero_kwargs=None):
        self.backward(self.scale_loss(loss))
        if self.should_update():
            self.step()
            self.zero_grad()

    def scale_loss(self, loss):
        return loss / self._accumulative_counts

    def backward(self, loss, **kwargs):
        loss.backward(**kwargs)
        self._inner_count += 1

    def should_update(self):
        counts = self._accumulative_counts
        return not known(counts) or self._inner_count % counts == 0

    def step(self, **kwargs):
        if self.clip_grad_kwargs:
            params = [p for group in self.optimizer.param_groups for p in group["params"]]
            nn.utils.clip_grad_norm_(params, 1.0)
        self.optimizer.step()

    def zero_grad(self, **kwargs):
        self.optimizer.zero_grad()

    @contextmanager
    def optim_context(self, model):
        yield

    def __getattr__(self, name):
        return getattr(self.optimizer, name)


class AmpOptimWrapper(OptimWrapper):
    def __init__(self, loss_scale="dynamic", dtype=None, use_fsdp=False, **kwargs):
        super().__init__(**kwargs)


class OptimWrapperDict:
    def __init__(self, **optim_wrappers):
        self.optim_wrappers = optim_wrappers

    def __getitem__(self, key):
        return self.optim_wrappers[key]
