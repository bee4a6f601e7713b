import copy

import torch
from torch import nn


def pruned(state, share):
    for name, value in state.items():
        if name.endswith("weight"):
            value[value.abs() < value.abs().quantile(share)] = 0
    return state


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.Linear(4, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    x = torch.randn(5, 3)
    loss = net(x).square().mean()
    sparse = pruned(copy.deepcopy(net.state_dict()), 0.5)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.load_state_dict(sparse)
