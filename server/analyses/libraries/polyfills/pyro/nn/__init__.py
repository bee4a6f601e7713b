"""Modules with attributes that are sampled anew in each call (`pyro/nn/module.py`)."""

import torch
from gradguard import linked
from torch import nn


class PyroParam:
    def __init__(self, init_value=None, constraint=None, event_dim=None):
        self.init_value = init_value


class PyroSample:
    def __init__(self, prior):
        self.prior = prior


class PyroModule(nn.Module):
    def __class_getitem__(cls, module):
        return module

    def __init__(self, name=""):
        super().__init__()
        self.sampled = {}

    def __setattr__(self, name, value):
        if isinstance(value, (PyroParam, PyroSample)):
            self.sampled[name] = torch.zeros((), requires_grad=True)
            value = linked(self.sampled[name])
        super().__setattr__(name, value)

    def __call__(self, *args, **kwargs):
        for name, behind in self.sampled.items():
            setattr(self, name, linked(behind))
        return super().__call__(*args, **kwargs)


def pyro_method(fn):
    return fn
