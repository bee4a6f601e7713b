"""A mask that a product needs for backward is narrowed in place in the next turn of the loop."""

import torch

weights = torch.ones(4, requires_grad=True)
total = torch.zeros(4)
active = torch.ones(4, dtype=torch.bool)
for step in range(2):
    active &= torch.arange(4) > step
    total += weights * active
total.sum().backward()
