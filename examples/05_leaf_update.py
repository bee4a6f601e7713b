"""GG201: a leaf that requires grad is updated in place while grad mode is on.

Autograd would have to record the update as part of the leaf's own history, and a leaf has none.
"""

import torch

depth = torch.tensor([0.2, 0.9, 1.4])
pressure = 9.8 * depth + 1.0
slope = torch.zeros(1, requires_grad=True)

for _ in range(20):
    loss = (slope * depth + 1.0 - pressure).square().mean()
    loss.backward()
    slope -= 0.1 * slope.grad  # raises
    slope.grad = None
print(slope)
