import torch
from torch import nn


class Mixdown(nn.Module):
    def __init__(self, tracks, channels, learn=True):
        super().__init__()
        matrix = torch.full((tracks, channels), 1 / tracks)
        if learn:
            self.matrix = nn.Parameter(matrix)
        else:
            self.register_buffer("matrix", matrix)
        self.workspace = torch.empty(4, channels)
        self.gain = nn.Parameter(torch.ones(channels))

    def forward(self, tracks):
        torch.matmul(tracks, self.matrix, out=self.workspace)
        return self.workspace * self.gain


torch.manual_seed(0)
desk = Mixdown(tracks=3, channels=2, learn=False)
desk(torch.randn(4, 3)).abs().mean().backward()
