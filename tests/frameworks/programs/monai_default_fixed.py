import torch
from monai.networks.blocks import Convolution, ResidualUnit

stem, unit = Convolution(2, 1, 4), ResidualUnit(2, 4, 4)
x = stem(torch.randn(1, 1, 8, 8))  # a PReLU, which saves what goes in
y = unit(x)
y += 1
y.mean().backward()
