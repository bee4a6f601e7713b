"""The mended twin of 05_leaf_update.py.

Under `no_grad` the update is arithmetic on memory, which is what is meant. The counter still moves,
harmlessly: backward has already used what the product kept. `slope = slope - …` would be wrong
here, for it makes a tensor that is no longer a leaf and gets no `.grad`.
"""

import torch

depth = torch.tensor([0.2, 0.9, 1.4])
pressure = 9.8 * depth + 1.0
slope = torch.zeros(1, requires_grad=True)

for _ in range(20):
    loss = (slope * depth + 1.0 - pressure).square().mean()
    loss.backward()
    with torch.no_grad():
        slope -= 0.1 * slope.grad
    slope.grad = None
print(slope)
