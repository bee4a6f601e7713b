"""Pyro 1.9: `sample` and `param` statements, as inference runs them (`pyro/primitives.py`)."""

import torch
from gradguard import data, known, linked
from torch import nn

STORE = {}
"""the leaves behind `param`, and the parameters of modules, by name"""

SITES = []
"""the distribution and the value of each sample statement in the current run"""

VALUES = {}
"""the values that the guide sampled, by name"""


def param(name, init_tensor=None, constraint=None, event_dim=None):
    if name not in STORE:
        given = init_tensor() if callable(init_tensor) else init_tensor
        STORE[name] = torch.as_tensor(given).detach().clone().requires_grad_()
    return STORE[name] if constraint is None else linked(STORE[name])


def sample(name, fn, *args, obs=None, obs_mask=None, infer=None, **kwargs):
    value = obs
    if value is None:
        value = VALUES[name] if name in VALUES else fn()
        VALUES[name] = value
    SITES.append((fn, value))
    return value


def factor(name, log_factor, *, has_rsample=None):
    SITES.append((log_factor, log_factor))


def deterministic(name, value, event_dim=None):
    return value


def module(name, nn_module, update_module_params=False):
    for key, one in nn_module.named_parameters():
        STORE[name + "$$$" + key] = one
    return nn_module


def random_module(name, nn_module, prior, *args, **kwargs):
    return lambda: nn_module


class plate:
    def __init__(self, name, size=None, subsample_size=None, subsample=None, dim=None, **kwargs):
        self.size = size
        self.subsample = subsample

    def __enter__(self):
        return data("indices") if self.subsample is None else self.subsample

    def __exit__(self, *error):
        return None

    def __iter__(self):
        return iter(range(self.size if known(self.size) else 2))


def markov(fn=None, history=1, keep=False, dim=None, name=None):
    return fn


def clear_param_store():
    STORE.clear()


def set_rng_seed(rng_seed):
    pass


def enable_validation(is_validate=True):
    pass
