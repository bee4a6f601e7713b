"""Averages of weights, which are written in place without a graph."""

import copy

import torch
from gradguard import written
from torch.optim.lr_scheduler import LRScheduler


class AveragedModel(torch.nn.Module):
    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        self.module = copy.deepcopy(model)

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        for average in (*self.parameters(), *self.buffers()):
            written(average, "update_parameters()")


class SWALR(LRScheduler):
    pass


def update_bn(loader, model, device=None):
    with torch.no_grad():
        for batch in loader:
            model(batch[0] if isinstance(batch, (list, tuple)) else batch)
