import torch
from monai.losses import DiceCELoss
from monai.networks.blocks import Convolution, ResidualUnit
from torch import nn


class Seg(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Convolution(spatial_dims=2, in_channels=1, out_channels=4, act="RELU", norm="BATCH")
        self.unit = ResidualUnit(spatial_dims=2, in_channels=4, out_channels=4)
        self.head = nn.Conv2d(4, 2, 1)

    def forward(self, x):
        x = self.stem(x)
        y = self.unit(x)
        x += y  # here
        return self.head(x)


model = Seg()
loss = DiceCELoss(softmax=True, to_onehot_y=True)(model(torch.randn(1, 1, 8, 8)), torch.randint(0, 2, (1, 1, 8, 8)))
loss.backward()
