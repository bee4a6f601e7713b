import torch
from torch import nn

TOLERANCE = 1e-3


def correct(residual, limit=0.2):
    cost = residual.square().sum()
    if TOLERANCE is None or cost.item() < TOLERANCE:
        return cost, residual
    residual = residual.clamp(-limit, limit)
    return cost, residual


torch.manual_seed(0)
model = nn.Linear(2, 2)
for probe in torch.randn(3, 4, 2):
    cost, residual = correct(model(probe) - probe)
    (cost + residual.mean()).backward()
    model.zero_grad()
