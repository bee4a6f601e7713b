"""GG101 once more, as practice meets it: a buffer that forward both uses and updates.

`whiten` multiplies by `self.scale`, and the product keeps it for the gradient of its input. The running
average then writes into the same buffer, `no_grad` or not: the counter moves for every write in place.
"""

import torch
from torch import nn


class Whiten(nn.Module):
    def __init__(self, channels, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("scale", torch.ones(channels))

    def forward(self, signal):
        white = signal * self.scale  # saved
        if self.training:
            self.track(signal)
        return white

    @torch.no_grad()
    def track(self, signal):
        self.scale.lerp_(1 / signal.std(dim=0), self.momentum)  # changed


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 5), Whiten(5), nn.Linear(5, 1))
net(torch.randn(16, 3)).square().mean().backward()
