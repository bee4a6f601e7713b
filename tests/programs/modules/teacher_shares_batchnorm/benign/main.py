import torch
from torch import nn
from torch.nn import functional as F


def agreement(net: nn.Module, scans: torch.Tensor) -> torch.Tensor:
    net.train()
    steady = net(scans)
    shaken = net(scans + 0.05 * torch.randn_like(scans))
    return F.mse_loss(shaken, steady)


net = nn.Sequential(nn.Conv1d(2, 6, 3), nn.BatchNorm1d(6), nn.SiLU(), nn.Flatten(), nn.Linear(6 * 10, 3))
optimizer = torch.optim.AdamW(net.parameters())
for _ in range(3):
    optimizer.zero_grad()
    agreement(net, torch.randn(8, 2, 12)).backward()
    optimizer.step()
