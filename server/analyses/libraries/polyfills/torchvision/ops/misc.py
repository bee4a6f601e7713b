"""The layers, in the module where torchvision defines them."""

from torchvision.ops import (
    MLP,
    Conv2dNormActivation,
    Conv3dNormActivation,
    ConvNormActivation,
    Permute,
    SqueezeExcitation,
)
