import torch
from torch import nn

from layers import layer


class Regressor(nn.Module):
    """Yield of a field from its soil samples."""

    def __init__(self, samples, widths=(6, 4)):
        super().__init__()
        sizes = [samples, *widths]
        self.body = nn.Sequential(*(layer(a, b) for a, b in zip(sizes, sizes[1:])))
        self.head = nn.Linear(sizes[-1], 1)

    def forward(self, soil):
        return self.head(self.body(soil)).squeeze(-1)


torch.manual_seed(0)
net = Regressor(3)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(2):
    soil = torch.rand(6, 3)
    loss = nn.functional.l1_loss(net(soil), soil.sum(dim=1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
