"""GG103: a recurrent state carries the last window's graph into this window's backward.

`state = new_state` copies nothing and changes nothing: it only keeps the old graph reachable. The
second backward walks into it, and its saved tensors were freed by the first.
"""

import torch
from torch import nn

torch.manual_seed(0)
tides = torch.sin(torch.arange(64) / 5).view(4, 16, 1)
cell = nn.GRUCell(1, 8)
gauge = nn.Linear(8, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *gauge.parameters()], lr=0.01)

state = torch.zeros(4, 8)
for hour in range(15):
    new_state = cell(tides[:, hour], state)
    loss = (gauge(new_state) - tides[:, hour + 1]).square().mean()
    optimizer.zero_grad()
    loss.backward()  # raises
    optimizer.step()
    state = new_state
