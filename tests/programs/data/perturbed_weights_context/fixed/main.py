from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def jolted(net, radius):
    """The net with its weights moved by `radius`, restored afterwards."""
    with torch.no_grad():
        for p in net.parameters():
            p.add_(radius)
    yield net
    with torch.no_grad():
        for p in net.parameters():
            p.sub_(radius)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    catch = torch.rand(5, 3)
    optimizer.zero_grad()
    with jolted(net, radius=0.05):
        loss = net(catch).square().mean()
    loss = net(catch).square().mean()
    loss.backward()
    optimizer.step()
