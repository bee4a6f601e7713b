"""Removing a protected attribute from a representation."""

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 4))
adversary = nn.Linear(4, 1)
task = nn.Linear(4, 1)
guard = torch.optim.SGD([adversary.bias], lr=0.1)

for _ in range(2):
    people = torch.randn(10, 6)
    code = encoder(people)
    leak = torch.sigmoid(adversary(code)).mean()
    error = (task(code) - people.sum(1, keepdim=True)).abs().mean()
    leak.backward(retain_graph=True)
    guard.step()
    error.backward()
    guard.zero_grad()
