import torch
from torch import nn
import torch.nn.functional as F


class Pyramid(nn.Module):
    def __init__(self, channels=(3, 4, 6), width=4, lateral="relu"):
        super().__init__()
        self.down = nn.ModuleList(nn.Conv2d(a, b, 3, stride=2, padding=1) for a, b in zip(channels, channels[1:]))
        self.lateral = nn.ModuleList(nn.Conv2d(c, width, 1) for c in channels[1:])
        self.kind = lateral

    def laterals(self, image):
        maps, x = [], image
        for down, lateral in zip(self.down, self.lateral):
            x = torch.tanh(down(x))
            level = lateral(x)
            maps.append(F.relu(level) if self.kind == "relu" else level)
        return maps

    def forward(self, image):
        maps = self.laterals(image)
        for i in reversed(range(len(maps) - 1)):
            larger = F.interpolate(maps[i + 1], scale_factor=2, mode="nearest")
            maps[i] = maps[i] + larger
        return maps


torch.manual_seed(0)
maps = Pyramid()(torch.rand(1, 3, 8, 8))
sum(level.mean() for level in maps).backward()
