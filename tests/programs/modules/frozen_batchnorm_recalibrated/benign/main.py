import torch
from torch import nn


def recalibrate(norm, batch, rate=0.1):
    """Pull a norm's running mean towards a batch of another domain."""
    with torch.no_grad():
        norm.num_batches_tracked += 1


torch.manual_seed(0)
project = nn.Linear(4, 3)
norm = nn.BatchNorm1d(3)
for _ in range(2):
    source, target = torch.randn(6, 4), torch.randn(6, 4) + 1
    hidden = project(source)
    loss = norm(hidden).abs().mean()
    recalibrate(norm, project(target))
    loss.backward()
    project.zero_grad()
