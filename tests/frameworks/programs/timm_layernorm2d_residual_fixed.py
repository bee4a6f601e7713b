import torch
from timm.layers import DropPath, LayerNorm2d, Mlp, trunc_normal_
from torch import nn


class ConvBlock(nn.Module):
    """A block in the manner of ConvNeXt, with timm's layers."""

    def __init__(self, dim, drop_path=0.0, layer_scale_init=1e-6):
        super().__init__()
        self.norm = LayerNorm2d(dim)
        self.dwconv = nn.Conv2d(dim, dim, 3, padding=1, groups=dim)
        self.mlp = Mlp(dim, dim * 2, use_conv=True)
        self.drop_path = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()
        self.apply(self._init_weights)

    def _init_weights(self, m):
        if isinstance(m, nn.Conv2d):
            trunc_normal_(m.weight, std=0.02)

    def forward(self, x):
        y = self.mlp(self.dwconv(self.norm(x)))
        x = x + self.drop_path(y)
        return x


class Net(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.stem = nn.Conv2d(3, dim, 4, stride=4)
        self.stages = nn.Sequential(ConvBlock(dim, 0.1), ConvBlock(dim, 0.1))
        self.head = nn.Linear(dim, 5)

    def forward(self, x):
        return self.head(self.stages(self.stem(x)).mean((-2, -1)))


if __name__ == "__main__":
    Net()(torch.randn(2, 3, 16, 16)).sum().backward()
