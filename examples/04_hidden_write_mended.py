"""The mended twin of 04_hidden_write.py.

`clamp` makes a new tensor and is part of the graph: the capped rate has no slope, the others keep theirs.
"""

import torch

log_rates = torch.tensor([0.5, 1.5, 2.5], requires_grad=True)

rates = torch.exp(log_rates)
deaths = rates.clamp(max=5.0).sum()

deaths.backward()
print(log_rates.grad)
