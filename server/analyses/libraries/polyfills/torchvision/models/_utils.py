"""A part of a model: its layers up to some that are chosen."""

from gradguard import linked
from torch import nn


class IntermediateLayerGetter(nn.ModuleDict):
    def __init__(self, model, return_layers):
        super().__init__(dict(model.named_children()))
        self.return_layers = dict(return_layers)

    def forward(self, x):
        """Run the layers up to the last that is asked for."""
        out, left = {}, dict(self.return_layers)
        for name, module in self.items():
            if not left:
                break
            x = module(x)
            if name in left:
                out[left.pop(name)] = x
        for new_name in left.values():  # layers of a model whose layers are unknown
            x = out[new_name] = linked(x, saves=[x])
        return out
