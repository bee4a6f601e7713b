import torch
from timm.models.vision_transformer import Attention, Block
from torch import nn


class MaskedAttention(Attention):
    """Drops what a token gives to itself."""

    def forward(self, x, *args, **kwargs):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        attn.diagonal(dim1=-2, dim2=-1).fill_(-1e9)
        attn = attn.softmax(dim=-1)
        x = (self.attn_drop(attn) @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj_drop(self.proj(x))


class Encoder(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.block = Block(dim, num_heads=2)
        self.attn = MaskedAttention(dim, num_heads=2)

    def forward(self, x):
        return self.attn(self.block(x))


if __name__ == "__main__":
    Encoder()(torch.randn(2, 5, 16)).sum().backward()
