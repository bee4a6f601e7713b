"""A network of residual blocks."""

import torch
from torch import nn

from .layers import ConvNorm, ResidualBlock


class ResidualStage(nn.Module):
    """Some blocks of one width, behind a convolution that halves the map."""

    def __init__(self, inputs: int, outputs: int, depth: int, drop: float = 0.0):
        super().__init__()
        self.down = ConvNorm(inputs, outputs, stride=2)
        self.blocks = nn.ModuleList(ResidualBlock(outputs, drop * i / max(depth - 1, 1)) for i in range(depth))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.down(x)
        for block in self.blocks:
            x = block(x)
        return x


class ResidualNet(nn.Module):
    def __init__(self, classes: int, width: int = 64, depth: int = 4, drop: float = 0.1):
        super().__init__()
        self.classes = classes
        self.stem = ConvNorm(3, width, kernel=5)
        self.stages = nn.Sequential(
            ResidualStage(width, width, depth, drop),
            ResidualStage(width, 2 * width, depth, drop),
            ResidualStage(2 * width, 4 * width, 2 * depth, drop),
        )
        self.norm = nn.LayerNorm(4 * width)
        self.dropout = nn.Dropout(drop)
        self.head = nn.Linear(4 * width, classes)
        self.apply(self.initialize)

    @staticmethod
    def initialize(module: nn.Module) -> None:
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            nn.init.trunc_normal_(module.weight, std=0.02)
            if module.bias is not None:
                nn.init.zeros_(module.bias)

    def features(self, images: torch.Tensor) -> torch.Tensor:
        x = self.stem(images)
        for stage in self.stages:
            x = stage(x)
        return x

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.features(images)
        x = self.norm(x.mean(dim=(2, 3)))
        return self.head(self.dropout(x))


def residual_small(classes: int, **options: float) -> ResidualNet:
    return ResidualNet(classes, width=32, depth=2, **options)


def residual_base(classes: int, **options: float) -> ResidualNet:
    return ResidualNet(classes, width=64, depth=4, **options)
