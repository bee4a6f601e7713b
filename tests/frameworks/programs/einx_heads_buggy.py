import einx
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)

    def forward(self, x):
        q, k, v = self.project(x).chunk(3, dim=-1)
        q, k, v = (einx.id("b n (h d) -> b h n d", part, h=self.heads) for part in (q, k, v))
        q *= q.shape[-1] ** -0.5  # here
        weights = einx.dot("b h i d, b h j d -> b h i j", q, k).softmax(-1)
        mixed = einx.dot("b h i j, b h j d -> b h i d", weights, v)
        return einx.id("b h n d -> b n (h d)", mixed)


if __name__ == "__main__":
    attention = Attention(8, heads=2)
    attention(torch.randn(2, 5, 8)).square().mean().backward()
