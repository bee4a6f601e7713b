import torch
from kornia.filters import gaussian_blur2d
from kornia.losses import charbonnier_loss, total_variation
from torch import nn


class Sharpen(nn.Module):
    def __init__(self, ch=3):
        super().__init__()
        self.pre = nn.Conv2d(ch, ch, 1)
        self.amount = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        x = self.pre(x)
        blurred = gaussian_blur2d(x, (3, 3), (1.0, 1.0))
        detail = x - blurred
        sharp = x + self.amount * detail
        detail.clamp_(-0.5, 0.5)  # here
        return sharp, detail


net = Sharpen()
image = torch.rand(1, 3, 8, 8)
sharp, detail = net(image)
loss = charbonnier_loss(sharp, image, reduction="mean") + 0.1 * total_variation(detail).mean()
loss.backward()
