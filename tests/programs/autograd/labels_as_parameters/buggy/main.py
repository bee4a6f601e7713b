import torch
from torch import nn
import torch.nn.functional as F


class SoftClusters(nn.Module):
    def __init__(self, labels, count):
        super().__init__()
        self.memberships = nn.Parameter(F.one_hot(labels, count))  # raises

    def forward(self, points):
        weights = self.memberships.softmax(dim=1)
        centres = weights.t() @ points / weights.sum(0)[:, None]
        return torch.cdist(points, centres).mean()


clusters = SoftClusters(torch.tensor([0, 1, 1, 0]), count=2)
spread = clusters(torch.rand(4, 3, generator=torch.Generator().manual_seed(1)))
spread.backward()
