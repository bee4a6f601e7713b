"""The states that looked up a weight are overwritten with the next ones, though the look-up saved them for backward."""

import torch

weights = torch.ones(4, requires_grad=True)
total = torch.zeros(2)
states = torch.tensor([2, 3])
for _ in range(2):
    total += weights[states]
    torch.where(states > 0, states - 1, states, out=states)
total.sum().backward()
