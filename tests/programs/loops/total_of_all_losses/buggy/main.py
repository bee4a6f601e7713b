"""Fit a line, and print the mean loss so far."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
total = 0
for step in range(3):
    x = torch.randn(4, 3)
    loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
    total += loss
    opt.zero_grad()
    total.backward()  # raises
    opt.step()
    print(step, total.item() / (step + 1))
