import torch
from torch import nn


class Averaged:
    """In the block, the net has its averaged weights."""

    def __init__(self, net, decay=0.9):
        self.net, self.decay = net, decay
        self.average = [p.detach().clone() for p in net.parameters()]
        self.kept = []

    def update(self):
        for old, p in zip(self.average, self.net.parameters()):
            old.lerp_(p.detach(), 1 - self.decay)

    @torch.no_grad()
    def __enter__(self):
        self.kept = [p.clone() for p in self.net.parameters()]
        for p, value in zip(self.net.parameters(), self.average):
            p.copy_(value)
        return self.net

    @torch.no_grad()
    def __exit__(self, *error):
        for p, value in zip(self.net.parameters(), self.kept):
            p.copy_(value)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.Mish(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
averaged = Averaged(net)
for _ in range(2):
    x = torch.randn(6, 2)
    loss = (net(x) - x.prod(dim=1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    with averaged as steady, torch.no_grad():
        print(steady(x).mean().item())
    optimizer.step()
    averaged.update()
