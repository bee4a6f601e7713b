from contextlib import ExitStack, contextmanager

import torch
from torch import nn


@contextmanager
def shaken(weight, scale):
    noise = scale * torch.randn_like(weight)
    weight.data += noise
    try:
        yield weight
    finally:
        with torch.no_grad():
            weight -= noise


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 1))
clear = torch.randn(6, 3)
with ExitStack() as stack:
    for layer in net:
        if isinstance(layer, nn.Linear):
            stack.enter_context(shaken(layer.weight, 0.01))
    loss = net(clear).square().mean()
    loss.backward()
print(loss.item())
