"""The same layers where they are defined."""

from torchvision.ops import (
    MLP,
    Conv2dNormActivation,
    Conv3dNormActivation,
    ConvNormActivation,
    Permute,
    SqueezeExcitation,
)
