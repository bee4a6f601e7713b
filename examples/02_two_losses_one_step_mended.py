"""The mended twin of 02_two_losses_one_step.py.

Both backwards run before the step: their gradients add up in `.grad`, and the weights change once.
"""

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)

clean = torch.randn(16, 4)
code = encoder(clean)
closeness = (code - clean).square().mean()
sparsity = code.abs().mean()

closeness.backward(retain_graph=True)
sparsity.backward()
optimizer.step()
