import torch
from torch import nn


class Logger:
    def __init__(self):
        self.seen = []

    def watch(self, block):
        block.register_full_backward_hook(lambda m, gi, go: self.seen.append(go[0].norm().item()))
        return block


class Residual(nn.Module):
    def __init__(self, width, logger):
        super().__init__()
        self.block = logger.watch(nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width)))

    def forward(self, x):
        out = self.block(x)
        return out + x


torch.manual_seed(0)
logger = Logger()
net = nn.Sequential(Residual(3, logger), Residual(3, logger))
net(torch.randn(2, 3)).sum().backward()
print(len(logger.seen))
