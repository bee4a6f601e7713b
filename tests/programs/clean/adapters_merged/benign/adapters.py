from contextlib import contextmanager

import torch
from torch import nn
import torch.nn.functional as F


class Adapted(nn.Module):
    def __init__(self, layer, rank, scale=2.0):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Parameter(torch.empty(rank, layer.in_features))
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=5**0.5)
        self.scale, self.merged = scale / rank, False

    def forward(self, x):
        y = self.layer(x)
        if not self.merged:
            y = y + self.scale * F.linear(F.linear(x, self.down), self.up)
        return y

    @torch.no_grad()
    def merge(self):
        self.layer.weight += self.scale * self.up @ self.down
        self.merged = True

    def unmerge(self):
        self.layer.weight.data -= self.scale * (self.up.data @ self.down.data)
        self.merged = False


def adapt(net, rank):
    for name, child in net.named_children():
        if isinstance(child, nn.Linear):
            setattr(net, name, Adapted(child, rank))
    return net


def adapter_parameters(net):
    return [p for p in net.parameters() if p.requires_grad]


@contextmanager
def merged(net):
    layers = [m for m in net.modules() if isinstance(m, Adapted)]
    for layer in layers:
        layer.merge()
    try:
        yield net
    finally:
        for layer in layers:
            layer.unmerge()
