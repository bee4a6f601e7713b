import copy

import torch
from torch import nn

from sync import polyak

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 2))
value = nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 1))
slow_value = copy.deepcopy(value).requires_grad_(False)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)


def bootstrap(state):
    return slow_value(torch.cat([state, actor(state)], dim=-1))


for _ in range(2):
    state = torch.randn(7, 3)
    with torch.no_grad():
        goal = bootstrap(state)
    loss = (actor(state) - goal).square().mean()
    polyak(slow_value, value, rate=0.05)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
