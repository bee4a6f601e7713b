from functools import cached_property

import torch
from torch import nn
import torch.nn.functional as F


class Prototypes(nn.Module):
    def __init__(self, kinds, width, learn):
        super().__init__()
        self.raw = nn.Parameter(torch.randn(kinds, width), requires_grad=learn)
        self.embed = nn.Linear(4, width)

    @cached_property
    def unit(self):
        return F.normalize(self.raw, dim=1)

    def forward(self, x):
        return F.normalize(self.embed(x), dim=1) @ self.unit.t() / 0.1


torch.manual_seed(0)
net = Prototypes(kinds=3, width=5, learn=True)
optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.05)
for _ in range(2):
    loss = F.cross_entropy(net(torch.randn(6, 4)), torch.arange(6) % 3)
    optimizer.zero_grad()
    loss.backward()  # raises
    optimizer.step()
