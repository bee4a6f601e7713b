"""Fabric, as in lightning 2.6 on one device: modules and optimizers in wrappers, and `backward`.

Each output of a module gets a hook, which runs in backward and changes nothing.
"""

from contextlib import contextmanager

import torch
from gradguard import known, unknown
from torch import nn


def seed_everything(seed=None, workers=None, verbose=True):
    return seed


class FabricModule(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def mark_forward_method(self, method):
        pass

    def __getattr__(self, name):
        module = super().__getattr__("module")
        return module if name == "module" else getattr(module, name)


def is_module(one):
    return known(one) and isinstance(one, nn.Module)


class Fabric:
    def __init__(self, **options):
        self.device = unknown("device")
        self.global_rank = self.local_rank = self.node_rank = 0
        self.world_size = 1
        self.is_global_zero = True
        self.logger = unknown("logger")

    def launch(self, function=None, *args, **kwargs):
        return None if function is None else function(self, *args, **kwargs)

    def setup(self, module, *optimizers, **options):
        wrapped = self.setup_module(module)
        return (wrapped, *optimizers) if optimizers else wrapped

    def setup_module(self, module, **options):
        return FabricModule(module) if is_module(module) else module

    def setup_optimizers(self, *optimizers):
        return optimizers[0] if len(optimizers) == 1 else optimizers

    def setup_dataloaders(self, *dataloaders, **options):
        return dataloaders[0] if len(dataloaders) == 1 else dataloaders

    def backward(self, tensor, *args, model=None, **kwargs):
        tensor.backward(*args, **kwargs)

    def clip_gradients(self, module, optimizer, clip_val=None, max_norm=None, norm_type=2.0, error_if_nonfinite=True):
        if clip_val is not None:
            nn.utils.clip_grad_value_(module.parameters(), clip_val)
            return None
        return nn.utils.clip_grad_norm_(module.parameters(), max_norm, norm_type)

    @contextmanager
    def autocast(self):
        yield

    @contextmanager
    def no_backward_sync(self, module, enabled=True):
        yield

    @contextmanager
    def rank_zero_first(self, local=False):
        yield

    @contextmanager
    def init_module(self, empty_init=None):
        yield

    @contextmanager
    def init_tensor(self):
        yield

    @contextmanager
    def sharded_model(self):
        yield

    def to_device(self, obj):
        return obj

    def all_gather(self, data, group=None, sync_grads=False):
        return data

    def all_reduce(self, data, group=None, reduce_op="mean"):
        return data

    def broadcast(self, obj, src=0):
        return obj

    def barrier(self, name=None):
        pass

    def print(self, *args, **kwargs):
        pass

    def log(self, name, value, step=None):
        pass

    def log_dict(self, metrics, step=None):
        pass

    def save(self, path, state, filter=None):
        pass

    def load(self, path, state=None, strict=True):
        return unknown("what a file holds")

    def seed_everything(self, seed=None, workers=None, verbose=True):
        return seed

    def call(self, hook_name, *args, **kwargs):
        pass
