import random

import torch
from torch import nn

from buffer import Buffer

random.seed(0)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
buffer = Buffer(capacity=6)

for _ in range(4):
    state = torch.randn(2)
    buffer.push(model(state), reward=state.sum())
    predictions, rewards = buffer.sample(3)
    loss = (predictions - rewards).square().mean() + model(state).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
