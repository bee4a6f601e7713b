import torch
from monai.networks.blocks import Convolution, ResidualUnit
from torch import nn


class Gate(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gate = Convolution(spatial_dims=2, in_channels=channels, out_channels=channels, act="sigmoid", norm=None)
        self.body = ResidualUnit(spatial_dims=2, in_channels=channels, out_channels=channels)

    def forward(self, x):
        gate = self.gate(x)
        gate = gate * self.body(x)
        return gate


if __name__ == "__main__":
    net = nn.Sequential(Convolution(2, 1, 4), Gate(4))
    net(torch.randn(1, 1, 8, 8)).mean().backward()
