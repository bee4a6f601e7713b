import torch
from torch import nn

from sign import Sign

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Softsign(), nn.Linear(4, 2))
optimizer = Sign(net.parameters(), rate=1e-2)
heights = net(torch.randn(5, 3))  # saved
smooth, level = heights.diff(dim=0).square().mean(), heights.square().mean()
smooth.backward(retain_graph=True)
optimizer.step()
level.backward()
