"""GG102: the optimizer steps between a forward and the backward that still needs its weights.

Both losses go through the same encoder. `optimizer.step()` writes the new weights into the old ones'
memory, and the second backward needs the weights that its forward used.
"""

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)

clean = torch.randn(16, 4)
code = encoder(clean)  # saved
closeness = (code - clean).square().mean()
sparsity = code.abs().mean()

closeness.backward(retain_graph=True)
optimizer.step()  # changed
sparsity.backward()
