"""The blocks that networks are built of. All keep the shape of a map of features."""

import torch
import torch.nn.functional as F
from torch import nn


class ConvNorm(nn.Module):
    """A convolution without a bias, its normalization, and an activation."""

    def __init__(self, inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1, act: bool = True):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.act = nn.SiLU() if act else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.act(self.norm(self.conv(x)))


class DropPath(nn.Module):
    """Leaves the branch of some samples out."""

    def __init__(self, p: float = 0.0):
        super().__init__()
        self.p = p

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.p == 0.0 or not self.training:
            return x
        keep = torch.rand(x.shape[0], 1, 1, 1, device=x.device) >= self.p
        return x * keep / (1 - self.p)


class ChannelNorm(nn.Module):
    """Layer normalization over the channels of a map."""

    def __init__(self, width: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.permute(0, 2, 3, 1)
        x = F.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class ResidualBlock(nn.Module):
    def __init__(self, width: int, drop: float = 0.0):
        super().__init__()
        self.first = ConvNorm(width, width)
        self.second = ConvNorm(width, width, act=False)
        self.drop = DropPath(drop)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.second(self.first(x))
        return F.silu(x + self.drop(y))


class BottleneckBlock(nn.Module):
    def __init__(self, width: int, drop: float = 0.0):
        super().__init__()
        inner = width // 4
        self.reduce = ConvNorm(width, inner, kernel=1)
        self.conv = ConvNorm(inner, inner)
        self.expand = ConvNorm(inner, width, kernel=1, act=False)
        self.drop = DropPath(drop)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.expand(self.conv(self.reduce(x)))
        return F.silu(x + self.drop(y))


class SqueezeBlock(nn.Module):
    """Weighs its channels by what the whole map has of them."""

    def __init__(self, width: int, drop: float = 0.0):
        super().__init__()
        self.conv = ConvNorm(width, width)
        self.squeeze = nn.Conv2d(width, width // 8, 1)
        self.excite = nn.Conv2d(width // 8, width, 1)
        self.drop = DropPath(drop)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv(x)
        weight = y.mean(dim=(2, 3), keepdim=True)
        weight = torch.sigmoid(self.excite(F.silu(self.squeeze(weight))))
        return x + self.drop(y * weight)


class InvertedBlock(nn.Module):
    def __init__(self, width: int, drop: float = 0.0):
        super().__init__()
        inner = 4 * width
        self.expand = ConvNorm(width, inner, kernel=1)
        self.depthwise = ConvNorm(inner, inner, groups=inner)
        self.project = ConvNorm(inner, width, kernel=1, act=False)
        self.drop = DropPath(drop)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.project(self.depthwise(self.expand(x)))
        return x + self.drop(y)


class DenseBlock(nn.Module):
    """Each convolution sees what all earlier ones gave."""

    def __init__(self, width: int, drop: float = 0.0, layers: int = 3):
        super().__init__()
        growth = width // 4
        self.convs = nn.ModuleList(ConvNorm(width + growth * i, growth) for i in range(layers))
        self.project = ConvNorm(width + growth * layers, width, kernel=1, act=False)
        self.drop = DropPath(drop)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = [x]
        for conv in self.convs:
            features.append(conv(torch.cat(features, dim=1)))
        return x + self.drop(self.project(torch.cat(features, dim=1)))


class AttentionBlock(nn.Module):
    def __init__(self, width: int, drop: float = 0.0, heads: int = 4):
        super().__init__()
        self.heads = heads
        self.norm = ChannelNorm(width)
        self.qkv = nn.Conv2d(width, 3 * width, 1)
        self.project = nn.Conv2d(width, width, 1)
        self.mlp = nn.Sequential(
            ChannelNorm(width), nn.Conv2d(width, 4 * width, 1), nn.GELU(), nn.Conv2d(4 * width, width, 1)
        )
        self.drop = DropPath(drop)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        batch, width, height, length = x.shape
        qkv = self.qkv(x).view(batch, 3, self.heads, width // self.heads, height * length)
        query, key, value = qkv.transpose(-2, -1).unbind(1)
        scores = query @ key.transpose(-2, -1) / (width // self.heads) ** 0.5
        out = scores.softmax(dim=-1) @ value
        return self.project(out.transpose(-2, -1).reshape(batch, width, height, length))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.drop(self.attend(self.norm(x)))
        return x + self.drop(self.mlp(x))


class MixerBlock(nn.Module):
    """Mixes along the rows, then along the columns, then the channels."""

    def __init__(self, width: int, drop: float = 0.0, kernel: int = 7):
        super().__init__()
        self.norm = ChannelNorm(width)
        self.rows = nn.Conv2d(width, width, (1, kernel), padding=(0, kernel // 2), groups=width)
        self.columns = nn.Conv2d(width, width, (kernel, 1), padding=(kernel // 2, 0), groups=width)
        self.channels = nn.Conv2d(width, width, 1)
        self.drop = DropPath(drop)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(x)
        y = self.columns(self.rows(y))
        return x + self.drop(self.channels(F.gelu(y)))


class ConvNextBlock(nn.Module):
    def __init__(self, width: int, drop: float = 0.0):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = ChannelNorm(width)
        self.expand = nn.Conv2d(width, 4 * width, 1)
        self.project = nn.Conv2d(4 * width, width, 1)
        self.scale = nn.Parameter(1e-6 * torch.ones(width, 1, 1))
        self.drop = DropPath(drop)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.depthwise(x))
        y = self.project(F.gelu(self.expand(y)))
        return x + self.drop(self.scale * y)


class GatedBlock(nn.Module):
    def __init__(self, width: int, drop: float = 0.0):
        super().__init__()
        self.norm = ChannelNorm(width)
        self.expand = nn.Conv2d(width, 4 * width, 1)
        self.spatial = nn.Conv2d(2 * width, 2 * width, 3, padding=1, groups=2 * width)
        self.project = nn.Conv2d(2 * width, width, 1)
        self.drop = DropPath(drop)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        value, gate = self.expand(self.norm(x)).chunk(2, dim=1)
        y = value * torch.sigmoid(self.spatial(gate))
        return x + self.drop(self.project(y))


class ShuffleBlock(nn.Module):
    """Works on one half of the channels, and shuffles both."""

    def __init__(self, width: int, drop: float = 0.0):
        super().__init__()
        half = width // 2
        self.branch = nn.Sequential(
            ConvNorm(half, half, kernel=1), ConvNorm(half, half, groups=half, act=False), ConvNorm(half, half, kernel=1)
        )
        self.drop = DropPath(drop)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, width, height, length = x.shape
        kept, changed = x.chunk(2, dim=1)
        out = torch.stack([kept, changed + self.drop(self.branch(changed))], dim=2)
        return out.reshape(batch, width, height, length)
