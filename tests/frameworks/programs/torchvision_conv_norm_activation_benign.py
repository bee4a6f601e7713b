import torch
from torch import nn
from torchvision.ops import Conv2dNormActivation, SqueezeExcitation, StochasticDepth


class MBConv(nn.Module):
    def __init__(self, dim, expand=2):
        super().__init__()
        hidden = dim * expand
        self.expand = Conv2dNormActivation(dim, hidden, kernel_size=1, activation_layer=None)
        self.se = SqueezeExcitation(hidden, hidden // 4)
        self.skip = nn.Conv2d(dim, hidden, 1, bias=False)
        self.project = Conv2dNormActivation(hidden, dim, kernel_size=1, activation_layer=None)
        self.drop = StochasticDepth(0.1, "row")

    def forward(self, x):
        out = self.expand(x)
        out += self.skip(x)
        return x + self.drop(self.project(self.se(out)))


if __name__ == "__main__":
    net = nn.Sequential(MBConv(8), MBConv(8))
    net(torch.randn(2, 8, 6, 6)).sum().backward()
