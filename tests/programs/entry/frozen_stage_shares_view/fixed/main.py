import torch
from torch import nn


class Loadings(nn.Module):
    """Factor loadings, one column a factor."""

    def __init__(self, items, factors):
        super().__init__()
        self.matrix = nn.Parameter(torch.ones(items, factors).cumsum(0))

    @property
    def by_factor(self):
        return self.matrix.t()

    def centre(self):
        self.matrix.data = self.matrix.data - self.matrix.data.mean(0)
        return self

    def forward(self, scores):
        return scores @ self.by_factor


loadings = Loadings(4, 2).centre()
loadings(torch.ones(3, 2)).square().mean().backward()
