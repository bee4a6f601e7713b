import torch
from torch import nn
import torch.nn.functional as F


def double(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
        nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, classes, widths=(4, 6)):
        super().__init__()
        self.down = nn.ModuleList([double(1, widths[0]), double(widths[0], widths[1])])
        self.up = nn.ConvTranspose2d(widths[1], widths[0], 2, stride=2)
        self.merge = double(2 * widths[0], widths[0])
        self.head = nn.Conv2d(widths[0], classes, 1)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            elif isinstance(module, nn.BatchNorm2d):
                nn.init.constant_(module.weight, 1)
                nn.init.constant_(module.bias, 0)

    def forward(self, x):
        skip = self.down[0](x)
        x = self.down[1](F.max_pool2d(skip, 2))
        x = self.up(x)
        x = torch.cat([skip, x], dim=1)
        return self.head(self.merge(x))
