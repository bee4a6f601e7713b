import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

torch.manual_seed(0)
layer = nn.Linear(3, 4)
layer = weight_norm(layer)
read = nn.Linear(4, 1)


def magnitudes(module):
    return module.parametrizations.weight.original0


for _ in range(2):
    sea = torch.randn(5, 3)
    loss = read(torch.tanh(layer(sea))).square().mean()  # saved
    with torch.no_grad():
        magnitudes(layer).clamp_(max=0.5)  # changed
    loss.backward()
