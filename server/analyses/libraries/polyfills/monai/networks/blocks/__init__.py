"""Blocks: a convolution, then a normalization, dropout and an activation (`monai/networks/blocks`)."""

from gradguard import known
from monai.networks.layers import get_act_layer, get_norm_layer
from torch import nn


class ADN(nn.Sequential):
    def __init__(
        self, ordering="NDA", in_channels=None, act="RELU", norm=None, norm_dim=None, dropout=None, dropout_dim=None
    ):
        super().__init__()
        for one in ordering.upper():
            if one == "N" and norm is not None:
                self.add_module("N", get_norm_layer(norm, norm_dim, in_channels))
            elif one == "D" and dropout is not None:
                self.add_module("D", nn.Dropout())
            elif one == "A" and act is not None:
                self.add_module("A", get_act_layer(act))


class Convolution(nn.Sequential):
    def __init__(
        self,
        spatial_dims,
        in_channels,
        out_channels,
        strides=1,
        kernel_size=3,
        adn_ordering="NDA",
        act="PRELU",
        norm="INSTANCE",
        dropout=None,
        dropout_dim=1,
        dilation=1,
        groups=1,
        bias=True,
        conv_only=False,
        is_transposed=False,
        padding=None,
        output_padding=None,
    ):
        super().__init__()
        kinds = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
        if is_transposed:
            kinds = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
        conv = kinds[spatial_dims - 1] if known(spatial_dims) else nn.Conv2d
        self.add_module("conv", conv(in_channels, out_channels, kernel_size, strides))
        if not conv_only and (act is not None or norm is not None or dropout is not None):
            self.add_module("adn", ADN(adn_ordering, out_channels, act, norm, spatial_dims, dropout, dropout_dim))


class ResidualUnit(nn.Module):
    def __init__(
        self,
        spatial_dims,
        in_channels,
        out_channels,
        strides=1,
        kernel_size=3,
        subunits=2,
        last_conv_only=False,
        **kwargs,
    ):
        super().__init__()
        self.residual = nn.Identity()
        if known(in_channels) and known(out_channels) and in_channels != out_channels:
            self.residual = nn.Conv2d(in_channels, out_channels, 1)
        self.conv = nn.Sequential()
        for i in range(subunits):
            conv_only = last_conv_only and i == subunits - 1
            unit = Convolution(spatial_dims, in_channels, out_channels, kernel_size=kernel_size, conv_only=conv_only)
            self.conv.add_module(f"unit{i}", unit)
            in_channels = out_channels

    def forward(self, x):
        res = self.residual(x)
        cx = self.conv(x)
        return cx + res
