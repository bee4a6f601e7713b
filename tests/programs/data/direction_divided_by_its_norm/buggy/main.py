"""Surface normals that shade a bump map."""
import torch
from torch import nn


class Normals(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.direction = nn.Linear(features, 3)

    def forward(self, x):
        normal = self.direction(x)
        length = normal.norm(dim=-1, keepdim=True)  # saved
        normal /= length.clamp(min=1e-6)  # changed
        return normal


torch.manual_seed(0)
normals, light = Normals(4), torch.tensor([0.0, 0.6, 0.8])
shade = torch.relu(normals(torch.randn(6, 4)) @ light)
(shade - 0.5).square().mean().backward()
