import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(3, 4)
read = nn.Linear(4, 1)


def magnitudes(module):
    return module.bias


for _ in range(2):
    sea = torch.randn(5, 3)
    loss = read(torch.tanh(layer(sea))).square().mean()
    with torch.no_grad():
        magnitudes(layer).clamp_(max=0.5)
    loss.backward()
