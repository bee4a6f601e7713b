import math

import torch
from torch import nn


class ActNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(width))
        self.shift = nn.Parameter(torch.zeros(width))
        self.register_buffer("ready", torch.tensor(False))

    def forward(self, x):
        if not self.ready:
            with torch.no_grad():
                self.shift.copy_(-x.mean(dim=0))
                self.log_scale.copy_(-x.std(dim=0).log())
                self.ready.fill_(True)
        y = x + self.shift
        y = y * self.log_scale.exp()
        return y, self.log_scale.sum().expand(len(x))


class Coupling(nn.Module):
    def __init__(self, width, flip):
        super().__init__()
        half = width // 2
        self.net = nn.Sequential(nn.Linear(half, 8), nn.ReLU(inplace=True), nn.Linear(8, 2 * half))
        nn.init.zeros_(self.net[-1].weight)
        self.net[-1].bias.data.zero_()
        self.flip = flip

    def forward(self, x):
        a, b = x.chunk(2, dim=1)
        if self.flip:
            a, b = b, a
        scale, shift = self.net(a).chunk(2, dim=1)
        scale = torch.tanh(scale)
        b = b * scale.exp() + shift
        parts = (b, a) if self.flip else (a, b)
        return torch.cat(parts, dim=1), scale.sum(dim=1)


class Flow(nn.Module):
    def __init__(self, width=4, depth=2):
        super().__init__()
        layers = []
        for i in range(depth):
            layers.append(ActNorm(width))
            layers.append(Coupling(width, flip=bool(i % 2)))
        self.layers = nn.ModuleList(layers)

    def log_prob(self, x):
        total = x.new_zeros(len(x))
        for layer in self.layers:
            x, change = layer(x)
            total += change
        total -= 0.5 * x.square().sum(dim=1)
        total -= 0.5 * x.size(1) * math.log(2 * math.pi)
        return total


torch.manual_seed(0)
flow = Flow()
optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
best, patience, kept = float("inf"), 2, None
for epoch in range(3):
    x = torch.randn(16, 4)
    x[:, 1] += 0.5 * x[:, 0]
    x.mul_(1.5).add_(0.3)
    loss = -flow.log_prob(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if loss.item() < best:
        best = loss.item()
        kept = {name: value.clone() for name, value in flow.state_dict().items()}
    else:
        patience -= 1
        if not patience:
            break
flow.load_state_dict(kept)
print(best)
