"""Modules that read their inputs from a tensordict and put their results into it, as in tensordict 0.14."""

from tensordict import TensorDict
from torch import nn


def keys_of(keys):
    return [keys] if isinstance(keys, str) else list(keys)


class TensorDictModule(nn.Module):
    def __init__(self, module, in_keys=None, out_keys=None, *, inplace=True, **kwargs):
        super().__init__()
        self.module = module
        self.in_keys = keys_of(in_keys)
        self.out_keys = keys_of(out_keys)

    def forward(self, tensordict, *args, **kwargs):
        outputs = self.module(*[tensordict.get(key) for key in self.in_keys], **kwargs)
        if not isinstance(outputs, tuple):
            outputs = (outputs,)
        for key, value in zip(self.out_keys, outputs):
            if key != "_":
                tensordict.set(key, value)
        return tensordict


class TensorDictModuleBase(nn.Module):
    pass


class TensorDictModuleWrapper(nn.Module):
    def __init__(self, td_module):
        super().__init__()
        self.td_module = td_module

    def forward(self, *args, **kwargs):
        return self.td_module(*args, **kwargs)


class TensorDictSequential(nn.Module):
    def __init__(self, *modules, partial_tolerant=False, **kwargs):
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], (list, tuple)):
            modules = tuple(modules[0])
        self.module = nn.ModuleList(modules)

    def __getitem__(self, index):
        return self.module[index]

    def __len__(self):
        return len(self.module)

    def forward(self, tensordict, **kwargs):
        for one in self.module:
            tensordict = one(tensordict)
        return tensordict


class NormalParamExtractor(nn.Module):
    def __init__(self, scale_mapping="biased_softplus_1.0", scale_lb=0.0001):
        super().__init__()

    def forward(self, *tensors):
        loc, scale = tensors[0].chunk(2, -1)
        return (loc, nn.functional.softplus(scale).clamp_min(0.0001), *tensors[1:])
