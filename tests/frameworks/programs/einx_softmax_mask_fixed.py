import einx
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, mask):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        attn = einx.dot("b q (h c), b k (h c) -> b q k h", q, k, h=self.heads)
        attn.masked_fill_(~mask[:, None, :, None], -1e4)
        attn = einx.softmax("b q [k] h", attn)
        out = einx.dot("b q k h, b k (h c) -> b q (h c)", attn, v)
        return self.to_out(out)


layer = Attention(8)
layer(torch.randn(2, 5, 8), torch.rand(2, 5) > 0.3).sum().backward()
