import torch
from torch import nn

import pool.settings as settings
from pool import Pool

torch.manual_seed(0)
rule = nn.Conv1d(2, 2, 3, padding=1)
optimizer = torch.optim.Adam(rule.parameters(), lr=1e-2)
pool = Pool(torch.rand(4, 2, 6))
for step in range(3):
    index, state = pool.draw(step)
    for _ in range(settings.GROWTH):
        state = state + torch.tanh(rule(state))
    loss = (state.mean(dim=1) - 0.5).square().mean()
    optimizer.zero_grad()
    loss.backward()  # raises
    optimizer.step()
    pool.put(index, state)
